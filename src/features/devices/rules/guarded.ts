/** What lets somebody in or puts the guard of a house down: the one answer for rules, Matter and scenes. */
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import { onlyCloses } from "../../../core/plates/opening.ts";
import { BARRIER_TYPES } from "./device-types.ts";
import { aimOf, type Moved } from "./gate-moves.ts";

/** The alarm of a house. */
const SENTINEL = "sentinel";
/** What a command that arms may say besides: anything else may disarm it in words of its make. */
const ARMING = new Set(["armed", "code"]);

/** Whether devices of this product type let people in or guard the house. */
export function isGuarded(type: string): boolean {
  return BARRIER_TYPES.has(type) || type === SENTINEL;
}

/** Whether a command may open a gate or a lock, or disarm an alarm. `type` null: the device is gone. */
export function opensOrDisarms(type: string | null, command: JsonObject): boolean {
  if (type === null) return false;
  if (BARRIER_TYPES.has(type)) return !onlyCloses(command);
  return type === SENTINEL && !(command.armed === true && Object.keys(command).every((key) => ARMING.has(key)));
}

/**
 * Whether a limited person needs to be allowed to send a command: as {@link opensOrDisarms}, by what the device makes of
 * it. Shutting, locking and arming are everybody's at any time.
 */
export function needsLeave(device: Moved, command: JsonObject): boolean {
  if (!BARRIER_TYPES.has(device.type)) return opensOrDisarms(device.type, command);
  const aim = aimOf(device, command);
  return aim !== "closes" && aim !== "rests";
}
