/**
 * How a gate moves that has no words of its own for it: the household says that a relay or a shutter moves its gate,
 * and the hub keeps the words of a gate (`open`, `close`, `stop`) for everybody who commands it.
 */
import { isJsonObject, type JsonObject, sameJson } from "../../../core/kernel/json-object.ts";
import { asksToClose, asksToOpen, onlyCloses } from "../../../core/plates/opening.ts";

/** What decides how a device moves. */
export interface Moved {
  readonly type: string;
  readonly state: JsonObject;
  readonly commandSchema: JsonObject | null;
}

/** What the device takes in place of the words of a gate. */
export interface GateMoves {
  readonly open: JsonObject;
  /** Null: nothing closes it but itself, as with a relay that presses the drive's button. */
  readonly close: JsonObject | null;
}

/** Types that are never what moves a gate, though they may have one switch: somebody sees or hears that it is on. */
const NO_MOVERS: ReadonlySet<string> = new Set(["camera", "dimmer", "fan", "light", "sentinel", "lock", "door"]);
/** States and commands of a device that is a gate by its make. */
const GATE_WORDS = ["open", "close", "gate", "door", "locked"];
const SWITCH = /^(power|relay|switch|on|state)\d*$/;

/** What a gate takes in place of `open` and `close`; null: it takes these, or is no gate. */
export function movesOf(device: Moved): GateMoves | null {
  if (device.type !== "gate") return null;
  const properties = device.commandSchema?.properties;
  if (!isJsonObject(properties)) return GATE_WORDS.some((word) => word in device.state) ? null : switched(device.state);
  if (GATE_WORDS.some((word) => word in properties)) return null;
  const { position } = properties;
  if (isJsonObject(position) && (position.type === "integer" || position.type === "number")) {
    const { minimum = 0, maximum = 100 } = position;
    return { open: { position: maximum }, close: { position: minimum } };
  }
  return switched(properties);
}

/** The one switch of a relay closes its contact; which of several moves the gate is not known. */
function switched(known: JsonObject): GateMoves | null {
  const switches = Object.entries(known).filter(
    ([key, value]) => SWITCH.test(key) && (isJsonObject(value) ? value.type === "boolean" : typeof value === "boolean"),
  );
  const [first] = switches;
  return first === undefined || switches.length > 1 || "position" in known
    ? null
    : { open: { [first[0]]: true }, close: null };
}

/** Whether a device is by its make what can move a gate, be it called one or not: a relay, a shutter. */
export function movesGates(device: Moved): boolean {
  return !NO_MOVERS.has(device.type) && movesOf({ ...device, type: "gate" }) !== null;
}

/** The command that the device takes for one in the words of a gate; the same object where it is to be sent as it is. */
export function orderFor(device: Moved, command: JsonObject): JsonObject {
  const moves = Object.keys(command).length === 1 ? movesOf(device) : null;
  if (moves === null) return command;
  if (command.open === true) return moves.open;
  return (command.open === false || command.close === true) && moves.close !== null ? moves.close : command;
}

/** Whether a device reports its state as a gate does, whatever its type. */
export function speaksOfGates({ state, commandSchema }: Moved): boolean {
  const properties = commandSchema?.properties;
  return GATE_WORDS.some((word) => word in state || (isJsonObject(properties) && word in properties));
}

/** A command in the words of a gate, where it is one of those in its device's own words. */
export function meaningOf(device: Moved, command: JsonObject): JsonObject {
  const moves = movesOf(device);
  if (moves === null) return command;
  if (sameJson(command, moves.open)) return { open: true };
  return moves.close !== null && sameJson(command, moves.close) ? { open: false } : command;
}

/**
 * What a command to a gate or lock is for. `opens`: so it says, or it moves what opens. `may_open`: it does not say that
 * it does something else. `closes`: that alone; `shuts`: the same in words that only some makers understand so. `rests`:
 * it stops, or asks for nothing. `lets_go`: the relay lets go of the drive's button.
 */
export type Aim = "opens" | "may_open" | "closes" | "shuts" | "rests" | "lets_go";

/** See {@link Aim}; what is not known to keep a gate shut may open it. */
export function aimOf(device: Moved, command: JsonObject): Aim {
  const meant = meaningOf(device, command);
  if (onlyCloses(meant)) return asksToClose(meant) ? "closes" : "rests";
  if (asksToOpen(meant)) return "opens";
  const moves = movesOf(device);
  if (moves === null) return asksToClose(meant) ? "shuts" : "may_open";
  const [mover = ""] = Object.keys(moves.open);
  if (!Object.hasOwn(command, mover)) return "may_open";
  return sameJson(command, { [mover]: false }) ? "lets_go" : "opens";
}
