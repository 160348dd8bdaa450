/**
 * What in a house needs a person now, by what its devices report: water, smoke, gas, a forced door. One model for all
 * who say it. Batteries that are nearly empty are here too; they can wait for the next trip to the shop.
 */
import type { Device } from "../resources/device.ts";

/** Each kind with the states that report it by `true`, in small letters; the most urgent kind first. */
const SIGNS = [
  ["smoke", ["smoke"]],
  ["carbonMonoxide", ["carbonmonoxide"]],
  ["gas", ["gas"]],
  ["water", ["leak", "waterleak"]],
  ["alarm", ["alarm"]],
  ["siren", ["siren"]],
  ["forced", ["forced", "forcedentry", "forcedopen"]],
  ["tamper", ["tamper", "tampered"]],
  ["notClosed", []],
  ["jammed", ["jammed"]],
  ["warm", []],
] as const satisfies readonly (readonly [kind: string, states: readonly string[]])[];

/** A kind of danger. */
export type DangerKind = (typeof SIGNS)[number][0];

/** What a device has to be known by. */
type Watched = Pick<Device, "id" | "name" | "room" | "type" | "online" | "state" | "stateAt" | "battery">;

/** One device that needs somebody. */
export interface Danger {
  readonly kind: DangerKind;
  readonly deviceId: string;
  readonly name: string;
  readonly room: string | null;
  /** It has lost its connection since: this is the last that is known. */
  readonly isAway: boolean;
}

/** What a freezer and a refrigerator may not get warmer than, °C, by type. */
const WARM: ReadonlyMap<string, number> = new Map([
  ["freezer", -9],
  ["fridge", 10],
  ["refrigerator", 10],
]);
/** A sensor that was flooded or burnt does not report again; one that lies in a drawer is no danger for ever. */
const AWAY_MS = 24 * 3_600_000;
/** A charge below this is weak, percent. */
const WEAK = 20;

/**
 * What needs somebody now, the most urgent first. `now`: epoch ms; `notClosed`: gates and locks that did not close when
 * they were asked to, and are open still.
 */
export function dangersOf(
  devices: readonly Watched[],
  now: number,
  notClosed: ReadonlySet<string> = new Set(),
): readonly Danger[] {
  const found = devices.flatMap((device) => {
    const kind = kindOf(device, notClosed);
    if (kind === null || (!device.online && now - Date.parse(device.stateAt ?? "") >= AWAY_MS)) return [];
    const { id: deviceId, name, room, online } = device;
    return [{ kind, deviceId, name, room, isAway: !online }];
  });
  return found.sort((one, other) => urgency(one.kind) - urgency(other.kind));
}

/** Devices whose battery is nearly empty, as far as they say so. */
export function weakBatteries<One extends Watched>(devices: readonly One[]): One[] {
  return devices.filter(hasWeakBattery);
}

function urgency(kind: DangerKind): number {
  return SIGNS.findIndex(([one]) => one === kind);
}

/** What is wrong at a device by its own state; null: nothing that it reports. */
export function dangerAt(device: Pick<Device, "id" | "type" | "online" | "state">): DangerKind | null {
  return kindOf(device, new Set());
}

/** Whether the battery of a device is nearly empty, as far as it says so. */
export function hasWeakBattery({ state, battery }: Pick<Device, "state" | "battery">): boolean {
  const charge = battery ?? state.battery;
  const said = saidBy(state);
  return said.has("batterylow") || said.has("lowbattery") || (typeof charge === "number" && charge < WEAK);
}

/** Where something is: `Under the sink, Kitchen`; the room is not said twice. */
export function placeOf({ name, room }: Pick<Device, "name" | "room">): string {
  return room === null || name.toLowerCase().includes(room.toLowerCase()) ? name : `${name}, ${room}`;
}

function kindOf(
  device: Pick<Watched, "id" | "type" | "online" | "state">,
  notClosed: ReadonlySet<string>,
): DangerKind | null {
  const { id, type, state, online } = device;
  const said = saidBy(state);
  for (const [kind, states] of SIGNS) {
    if (states.some((name) => said.has(name))) return kind;
    if (kind === "alarm" && state.alarm === "triggered") return kind; // an alarm panel has words
    if (kind === "siren" && type === "siren" && state.power === true) return kind;
    if (kind === "notClosed" && online && notClosed.has(id)) return kind;
    if (kind === "warm" && typeof state.temperature === "number" && state.temperature > warmFrom(type)) return kind;
  }
  return null;
}

function warmFrom(type: string): number {
  return WARM.get(type) ?? Number.POSITIVE_INFINITY;
}

/** The states that are `true`, in one form however their makers write them: `water_leak`, `waterLeak`. */
function saidBy(state: Device["state"]): ReadonlySet<string> {
  return new Set(
    Object.entries(state).flatMap(([key, value]) => (value === true ? [key.replaceAll("_", "").toLowerCase()] : [])),
  );
}
