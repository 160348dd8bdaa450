/**
 * What lets somebody in or puts the guard of a house down: the one answer for persons with limits, rules, scenes, Matter
 * and Home Assistant.
 */
import { type JsonObject, sameJson } from "../../../core/kernel/json-object.ts";
import { BARRIER_TYPES, type Entry, isBarrier, SENTINEL } from "./device-types.ts";
import { aimOf, type GateMoves, type Moved, movesOf, speaksOfGates } from "./gate-moves.ts";

/** What decides whether a command to a device opens something. */
export type Guarded = Moved & Entry;

/** What a command that arms may say besides: anything else may disarm it in words of its make. */
const ARMING = new Set(["armed", "code"]);

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

/** How sure it is what a device that lets people in does for a command that does not open it. */
type Shutting = "gate" | "shutter" | "relayCalledGate" | "opener";

/**
 * What is known to shut it: `rests`: a command that stops it, or asks for nothing, leaves it as it stands; `closes`:
 * of those that ask to close, any, only the device's own word for it, or none. Everything else may open.
 */
const KNOWN_TO_SHUT: Readonly<Record<Shutting, { readonly rests: boolean; readonly closes: "any" | "own" | "none" }>> =
  {
    /** It takes the words of a gate, by its make or because the hub puts them into its own. */
    gate: { rests: true, closes: "any" },
    /** It has a position, and only a camera opens a gate with it: the words of a gate are not put into its own. */
    shutter: { rests: true, closes: "own" },
    /** One that says "close" may close its contact. */
    relayCalledGate: { rests: true, closes: "none" },
    /** A relay that only a camera opens, or a device that reports nothing about itself. */
    opener: { rests: false, closes: "none" },
  };

function shuttingOf(device: Moved, isCalledSo: boolean, moves: GateMoves | null): Shutting {
  if (moves === null) return isCalledSo || speaksOfGates(device) ? "gate" : "opener";
  if (moves.close === null) return isCalledSo ? "relayCalledGate" : "opener";
  return isCalledSo ? "gate" : "shutter";
}

/** Whether a command is known to shut what lets people in, or to leave it as it stands. */
function isKnownToShut(device: Moved, command: JsonObject): boolean {
  const isCalledSo = BARRIER_TYPES.has(device.type);
  const { state, commandSchema } = device;
  const gate = isCalledSo ? device : { type: "gate", state, commandSchema };
  const moves = movesOf(gate);
  const { rests, closes } = KNOWN_TO_SHUT[shuttingOf(device, isCalledSo, moves)];
  const aim = aimOf(gate, command);
  if (aim === "rests") return rests;
  return aim === "closes" && (closes === "any" || (closes === "own" && sameJson(command, moves?.close)));
}
