/**
 * What lets somebody in or puts the guard of a house down: the one answer for persons with limits, rules, scenes, Matter
 * and Home Assistant.
 */
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import { sameJson } from "./device-state.ts";
import { BARRIER_TYPES, type Entry, isBarrier } from "./device-types.ts";
import { aimOf, type Moved, movesOf, speaksOfGates } from "./gate-moves.ts";

/** What decides whether a command to a device opens something. */
export type Guarded = Moved & Entry;

/** The alarm of a house. */
const SENTINEL = "sentinel";
/** What a command that arms may say besides: anything else may disarm it in words of its make. */
const ARMING = new Set(["armed", "code"]);

/** Whether a device lets people in or guards the house. */
export function isGuarded(device: Entry): boolean {
  return isBarrier(device) || device.type === SENTINEL;
}

/**
 * Whether a command may open a gate or a lock, or disarm an alarm, by what the device makes of it. `device` null: it is
 * gone. What is not known to shut, lock or arm opens.
 */
export function opensOrDisarms(device: Guarded | null, command: JsonObject): boolean {
  if (device === null) return false;
  if (device.type === SENTINEL)
    return !(command.armed === true && Object.keys(command).every((key) => ARMING.has(key)));
  return isBarrier(device) && !isKnownToShut(device, command);
}

/** Whether a command is known to shut what lets people in, or to leave it as it stands. */
function isKnownToShut(device: Moved, command: JsonObject): boolean {
  const isCalledSo = BARRIER_TYPES.has(device.type);
  const { state, commandSchema } = device;
  const gate = isCalledSo ? device : { type: "gate", state, commandSchema };
  const aim = aimOf(gate, command);
  const moves = movesOf(gate);
  // to a relay no word is known to shut the gate: one that says "close" may close its contact
  const knowsHow = moves === null ? isCalledSo || speaksOfGates(device) : moves.close !== null;
  if (aim === "rests") return isCalledSo || knowsHow;
  return aim === "closes" && knowsHow && (isCalledSo || moves === null || sameJson(command, moves.close));
}
