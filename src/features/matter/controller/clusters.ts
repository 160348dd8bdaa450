/**
 * The hub's subscriptions on a Matter node, by cluster and attribute of the Matter Application Cluster Specification
 * 1.4 (https://csa-iot.org/developer-resource/specifications-download-request/). Everything else that a node reports is
 * dropped in the Matter process: it costs neither a message nor a byte on the card.
 */

/** A value as it crosses to the hub: bit fields as the names of their set bits, structures as one of their numbers. */
export type Plain = number | boolean | string | null;

/** Longest text of a node that is kept, in characters: vendor, product, label, version. */
export const MOST_TEXT = 64;

type Read = (value: unknown) => Plain | undefined;

const number: Read = (value) => {
  const plain = typeof value === "bigint" ? Number(value) : value;
  return typeof plain === "number" && Number.isFinite(plain) ? plain : value === null ? null : undefined;
};
const truth: Read = (value) => (typeof value === "boolean" ? value : value === null ? null : undefined);
const text: Read = (value) =>
  typeof value === "string"
    ? [...value.slice(0, MOST_TEXT * 2)]
        .filter((character) => !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(character))
        .slice(0, MOST_TEXT)
        .join("")
        .trim()
    : undefined;
/** Names of the bits that are set, as "lift,positionAwareLift". */
const bits: Read = (value) =>
  typeof value === "object" && value !== null
    ? Object.entries(value)
        .flatMap(([name, set]) => (set === true ? [name] : []))
        .slice(0, 32)
        .join(",")
        .slice(0, 400)
    : undefined;
const occupied: Read = (value) =>
  typeof value === "object" && value !== null && "occupied" in value ? value.occupied === true : undefined;
/** The energy in milliwatt-hours of a measured energy. */
const energy: Read = (value) =>
  value === null ? null : typeof value === "object" && "energy" in value ? number(value.energy) : undefined;
/** The movement of a covering from its OperationalStatus: 0 still, 1 opening, 2 closing. */
const motion: Read = (value) =>
  typeof value === "object" && value !== null && "global" in value ? number(value.global) : undefined;

/** Attributes by name; two clusters may carry the same one (of a node, and of a device behind a bridge). */
const ROWS = [
  ["vendorName", 0x28, 1, text],
  ["productName", 0x28, 3, text],
  ["label", 0x28, 5, text],
  ["version", 0x28, 10, text],
  ["vendorName", 0x39, 1, text],
  ["productName", 0x39, 3, text],
  ["label", 0x39, 5, text],
  ["version", 0x39, 10, text],
  ["reachable", 0x39, 17, truth],
  ["battery", 0x2f, 12, number],
  ["onOff", 0x06, 0, truth],
  ["level", 0x08, 0, number],
  ["hue", 0x300, 0, number],
  ["saturation", 0x300, 1, number],
  ["colorX", 0x300, 3, number],
  ["colorY", 0x300, 4, number],
  ["mireds", 0x300, 7, number],
  ["colorMode", 0x300, 8, number],
  ["leastMireds", 0x300, 0x400b, number],
  ["mostMireds", 0x300, 0x400c, number],
  ["colorFeatures", 0x300, 0xfffc, bits],
  ["stateValue", 0x45, 0, truth],
  ["occupied", 0x406, 0, occupied],
  ["temperature", 0x402, 0, number],
  ["humidity", 0x405, 0, number],
  ["pressure", 0x403, 0, number],
  ["illuminance", 0x400, 0, number],
  ["co2", 0x40d, 0, number],
  ["co", 0x40c, 0, number],
  ["pm25", 0x42a, 0, number],
  ["pm10", 0x42d, 0, number],
  ["airQuality", 0x5b, 0, number],
  ["smokeState", 0x5c, 1, number],
  ["coState", 0x5c, 2, number],
  ["lockState", 0x101, 0, number],
  ["doorState", 0x101, 3, number],
  ["pinRequired", 0x101, 51, truth],
  ["lift", 0x102, 14, number],
  ["tilt", 0x102, 15, number],
  ["covering", 0x102, 10, motion],
  ["coveringFeatures", 0x102, 0xfffc, bits],
  ["localTemperature", 0x201, 0, number],
  ["cooling", 0x201, 0x11, number],
  ["heating", 0x201, 0x12, number],
  ["leastHeating", 0x201, 0x15, number],
  ["mostHeating", 0x201, 0x16, number],
  ["leastCooling", 0x201, 0x17, number],
  ["mostCooling", 0x201, 0x18, number],
  ["systemMode", 0x201, 0x1c, number],
  ["thermostatFeatures", 0x201, 0xfffc, bits],
  ["fanMode", 0x202, 0, number],
  ["percent", 0x202, 2, number],
  ["speedMost", 0x202, 4, number],
  ["speed", 0x202, 5, number],
  ["voltage", 0x90, 4, number],
  ["current", 0x90, 5, number],
  ["watts", 0x90, 8, number],
  ["rmsVoltage", 0x90, 11, number],
  ["rmsCurrent", 0x90, 12, number],
  ["frequency", 0x90, 14, number],
  ["powerFactor", 0x90, 17, number],
  ["imported", 0x91, 1, energy],
  ["exported", 0x91, 2, energy],
  ["valve", 0x81, 4, number],
] as const satisfies readonly (readonly [name: string, cluster: number, attribute: number, read: Read])[];

/** Name of an attribute that is listened to. */
export type AttributeName = (typeof ROWS)[number][0];

/** Every name, once. */
export const ATTRIBUTE_NAMES: readonly AttributeName[] = [...new Set(ROWS.map(([name]) => name))];

const BY_PATH: ReadonlyMap<number, { readonly name: AttributeName; readonly read: Read }> = new Map(
  ROWS.map(([name, cluster, attribute, read]) => [pathNumber(cluster, attribute), { name, read }]),
);

/** An attribute of a report in the hub's words; null if it is not listened to, or its value makes no sense. */
export function heard(
  cluster: number,
  attribute: number,
  value: unknown,
): { readonly name: AttributeName; readonly value: Plain } | null {
  const row = BY_PATH.get(pathNumber(cluster, attribute));
  const plain = row?.read(value);
  return row === undefined || plain === undefined ? null : { name: row.name, value: plain };
}

function pathNumber(cluster: number, attribute: number): number {
  return cluster * 0x1_0000 + attribute;
}

/** The Switch cluster, whose events are button presses. */
export const SWITCH_CLUSTER = 0x3b;

/** A button press, as the hub's other buttons report it; null for events that only lead up to one. */
export function pressed(event: number, value: unknown): string | null {
  if (event === 1) return "down";
  if (event === 2) return "long";
  if (event === 3) return "single";
  if (event !== 6 || typeof value !== "object" || value === null || !("totalNumberOfPressesCounted" in value))
    return null;
  const count = value.totalNumberOfPressesCounted;
  return count === 2 ? "double" : count === 3 ? "triple" : null;
}
