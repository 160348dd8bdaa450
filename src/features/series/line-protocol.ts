/**
 * Samples in InfluxDB's line protocol: `gatehouse,device=plug-1,home=Home watts=41.5 1770000000000000000`
 * (https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/).
 *
 * A point is identified by its measurement, tags, field and time: sent again it replaces itself and nothing is doubled.
 * So no tag holds a value that a person may change (a device's name, its room), and the time alone distinguishes two
 * samples. InfluxDB fixes a field's type by its first value: a number is always written as a float, and anything else
 * has its type in its name.
 */
import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";

/** The common part of all points of a device. */
export interface Series {
  /** Which home it is, where several write to the same database. */
  readonly home: string;
  readonly deviceId: string;
  /** Names of the device's fields so far; new ones are added, up to a limit. */
  readonly names: Set<string>;
}

/** The labels sent about a device itself. */
export interface DeviceLabels {
  readonly name: string;
  readonly room: string | null;
  readonly type: string;
}

const MEASUREMENT = "gatehouse";
/** Most field names of one device: one that invents more would fill the other database with them. */
const MOST_FIELDS = 256;
const LONGEST_TEXT = 1_000;
const DEEPEST = 3;
/** Values with such names are about people, or give entry. */
const PRIVATE_NAME =
  /plate|image|picture|photo|snapshot|thumbnail|face|pass|pwd|secret|token|psk|api_?key|private|credential|^auth|(^|[_.])(user_?)?(pin|code)$/i;
/** Nanoseconds in a millisecond. */
const NANOS = 1_000_000n;

/**
 * One sample as a line. `order` is its position among the device's samples of the same millisecond: it goes into the
 * nanoseconds, so that none replaces another. Null if nothing in it is a value.
 */
export function sampleLine(series: Series, sample: { readonly at: number; readonly data: JsonObject }, order: number) {
  const fields = new Map<string, string>();
  addFields(fields, "", sample.data, 0);
  for (const name of fields.keys()) {
    if (series.names.size < MOST_FIELDS) series.names.add(name);
    if (!series.names.has(name)) fields.delete(name);
  }
  if (fields.size === 0) return null;
  const list = [...fields].map(([name, value]) => `${name}=${value}`).join(",");
  return `${key(MEASUREMENT, series)} ${list} ${nanos(sample.at, order)}`;
}

/** A device's name and room, as a line of a measurement of its own. */
export function deviceLine(series: Omit<Series, "names">, { name, room, type }: DeviceLabels, at: number): string {
  const fields = [`name=${quoted(name)}`, `room=${quoted(room ?? "")}`, `type=${quoted(type)}`];
  return `${key(`${MEASUREMENT}_device`, series)} ${fields.join(",")} ${nanos(at, 0)}`;
}

/** Whether a value with this name may leave the house: no picture, plate, password or code may. */
export function mayLeave(name: string): boolean {
  return !PRIVATE_NAME.test(name);
}

function key(measurement: string, { home, deviceId }: Omit<Series, "names">): string {
  return `${measurement},device=${tagValue(deviceId)},home=${tagValue(home)}`;
}

function nanos(at: number, order: number): string {
  return String(BigInt(at) * NANOS + BigInt(order));
}

function addFields(into: Map<string, string>, path: string, data: JsonObject, depth: number): void {
  for (const [member, value] of Object.entries(data)) {
    const name = path === "" ? member : `${path}.${member}`;
    if (into.size >= MOST_FIELDS || !mayLeave(member)) continue;
    if (typeof value === "number" && Number.isFinite(value)) into.set(fieldName(name), String(value));
    else if (typeof value === "boolean") into.set(fieldName(`${name}_bool`), String(value));
    else if (typeof value === "string" && value.length <= LONGEST_TEXT)
      into.set(fieldName(`${name}_str`), quoted(value));
    else if (isJsonObject(value) && depth < DEEPEST) addFields(into, name, value, depth + 1);
  }
}

/** `time` and names that begin with an underscore are InfluxDB's own. */
function fieldName(name: string): string {
  return tagValue(name === "" || name === "time" || name.startsWith("_") ? `value_${name}` : name);
}

/**
 * A name or tag: commas, equals signs and spaces are escaped. A backslash would escape what follows it, and a line
 * break end the point: they are percent-encoded.
 */
function tagValue(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\\]/gu, (char) => encodeURIComponent(char))
    .replace(/[,= ]/g, (char) => `\\${char}`);
}

function quoted(text: string): string {
  return `"${text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replace(/["\\]/g, (char) => `\\${char}`)}"`;
}
