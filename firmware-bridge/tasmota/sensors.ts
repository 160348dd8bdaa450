import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { camelCase, numberOf, rounded } from "../json-values.ts";
import { quantity } from "../units.ts";

/** Which measured value each place of a sensor message is; learned in the order in which places were first seen. */
export type SensorMap = Record<string, string>;

/** Readings of a sensor message. */
export interface Readings {
  readonly telemetry: Record<string, number>;
  readonly counters: readonly Counter[];
  /** Readings in words: the point of the compass, the state of a machine. */
  readonly states: JsonObject;
  /** A place was seen for the first time. */
  readonly learned: boolean;
}

/** A total of a meter in a sensor message. */
interface Counter {
  readonly metric: string;
  readonly wattHours: number;
  readonly epoch: string | null;
}

/** Members that mean something else, or are read elsewhere. Cards and tags are not measurements. */
const IGNORED: ReadonlySet<string> = new Set([
  "Time",
  "TempUnit",
  "PressureUnit",
  "SpeedUnit",
  "PN532",
  "RDM6300",
  "Epoch",
  "Wifi",
  "ESP32",
]);
const MOST_PLACES = 48;
/** Longer texts are not states. */
const LONGEST_TEXT = 64;
/** Sensors whose `Energy` is the strength of a lightning stroke or of an echo, not a meter's total. */
const OTHER_ENERGY = /^(AS3935|LD2410)/;

/** The firmware's names for which the hub has words. */
const WORDS: Readonly<Record<string, string>> = {
  Temperature: "temperature",
  Humidity: "humidity",
  DewPoint: "dewPoint",
  Pressure: "pressure",
  SeaPressure: "seaPressure",
  Illuminance: "illuminance",
  CarbonDioxide: "co2",
  eCO2: "eco2",
  TVOC: "tvoc",
  "PM2.5": "pm25",
  PM10: "pm10",
  PM1: "pm1",
  Battery: "battery",
  BatteryPercentage: "battery",
  Voltage: "voltage",
  Current: "amps",
  Power: "watts",
  Distance: "distance",
  Moisture: "moisture",
};

/** Members of ENERGY that are current measurements. */
const ENERGY_WORDS: Readonly<Record<string, string>> = {
  Power: "watts",
  ApparentPower: "voltAmps",
  ReactivePower: "vars",
  Factor: "powerFactor",
  Frequency: "frequency",
  Voltage: "voltage",
  Current: "amps",
};
/** Values that add up over phases; the others have no total. */
const ADDED: ReadonlySet<string> = new Set(["watts", "voltAmps", "vars"]);

/** Units that a device names for all its sensors. */
interface Units {
  readonly temperature: string;
  readonly pressure: string;
  readonly speed: string | null;
}

/** A member of a sensor message and its position. */
interface Place {
  /** Names of the members down to it, with dots between. */
  readonly path: string;
  readonly name: string;
  /** Name of the member that holds it, if that is not a sensor but a part of one. */
  readonly part: string | null;
}

/** Reads a `sn`, SENSOR or StatusSNS object. `known` is what was learned before; new places are added to it. */
export function readSensors(value: JsonObject, known: SensorMap): Readings {
  const before = Object.keys(known).length;
  const telemetry: Record<string, number> = {};
  const counters = isJsonObject(value.ENERGY) ? readEnergy(value.ENERGY, telemetry) : [];
  const states: JsonObject = {};
  const taken = new Set([...Object.keys(telemetry), ...counters.map(({ metric }) => metric)]);
  const unit = (name: unknown, usual: string): string => (typeof name === "string" ? name : usual);
  const speed = typeof value.SpeedUnit === "string" ? value.SpeedUnit : null;
  const units: Units = { temperature: unit(value.TempUnit, "C"), pressure: unit(value.PressureUnit, "hPa"), speed };
  const read = (place: Place, found: unknown): void => {
    const number = numberOf(found);
    if (number !== null && place.name === "Energy" && !OTHER_ENERGY.test(place.path)) {
      const metric = metricOf(place, known, taken);
      if (metric !== null) counters.push({ metric, wattHours: rounded(number * 1000, 3), epoch: null });
    } else if (number !== null || (typeof found === "string" && found !== "" && found.length <= LONGEST_TEXT)) {
      const metric = metricOf(place, known, taken);
      if (metric !== null && number !== null) telemetry[metric] = inHubUnit(place, number, units);
      else if (metric !== null) states[metric] = found;
    }
  };
  for (const [key, found] of Object.entries(value)) {
    if (IGNORED.has(key) || key === "ENERGY" || /^(Switch|Button|Shutter|POWER)\d*$/.test(key)) continue;
    // A text among the sensors is not a sensor's: it is an input with its own name.
    if (typeof found !== "string" || numberOf(found) !== null)
      walk({ path: key, name: key, part: null }, found, 0, read);
  }
  return { telemetry, counters, states, learned: Object.keys(known).length > before };
}

/** Calls `read` for every value below a place. */
function walk(place: Place, found: unknown, depth: number, read: (place: Place, found: unknown) => void): void {
  const { path, name, part } = place;
  if (Array.isArray(found))
    for (const [index, entry] of found.slice(0, 16).entries())
      walk({ path: `${path}[${index}]`, name: `${name}${index + 1}`, part }, entry, depth + 1, read);
  else if (!isJsonObject(found)) read(place, found);
  else if (depth < 4) {
    for (const [key, entry] of Object.entries(found))
      if (!IGNORED.has(key) && key !== "Id")
        walk({ path: `${path}.${key}`, name: key, part: depth === 0 ? null : name }, entry, depth + 1, read);
  }
}

/** Power, voltage and totals of a meter; for several phases each of them and, where that makes sense, their sum. */
function readEnergy(energy: JsonObject, telemetry: Record<string, number>): Counter[] {
  for (const [name, word] of Object.entries(ENERGY_WORDS)) {
    const values = phases(energy[name]);
    if (values.length === 1 && values[0] !== undefined) telemetry[word] = values[0];
    else if (values.length > 1) {
      for (const [index, part] of values.entries()) telemetry[`${word}${index + 1}`] = part;
      if (ADDED.has(word)) telemetry[word] = rounded(sum(values), 3);
    }
  }
  const epoch = typeof energy.TotalStartTime === "string" ? energy.TotalStartTime : null;
  const total = (name: string): number | null => {
    const values = phases(energy[name]);
    return values.length === 0 ? null : rounded(sum(values) * 1000, 3);
  };
  const totals = [
    { metric: "kwh", wattHours: total("Total"), epoch },
    { metric: "kwhImported", wattHours: total("ImportActive"), epoch: null },
    { metric: "kwhExported", wattHours: total("ExportActive"), epoch: null },
    ...phases(energy.TotalTariff).map((kwh, index) => ({
      metric: `kwhTariff${index + 1}`,
      wattHours: rounded(kwh * 1000, 3),
      epoch: null,
    })),
  ];
  return totals.flatMap(({ wattHours, ...counter }) => (wattHours === null ? [] : [{ ...counter, wattHours }]));
}

/** A value, or one per phase as a list or with a name each; fewer may come than were announced. */
function phases(value: unknown): number[] {
  const values = (Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [value]).slice(0, 8);
  return values.flatMap((entry) => numberOf(entry) ?? []);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * The metric of a place: the word of its kind, numbered from the second place of a kind on. Null beyond the limit.
 * `taken`: names used besides the places'.
 */
function metricOf({ path, name, part }: Place, known: SensorMap, taken: ReadonlySet<string>): string | null {
  const own = Object.hasOwn(known, path) ? known[path] : undefined;
  if (own !== undefined) return own;
  if (Object.keys(known).length >= MOST_PLACES || path.length > 100) return null;
  const word = wordOf({ path, name, part });
  if (word === null || !/^[A-Za-z]/.test(word)) return null;
  const inUse = new Set([...Object.values(known), ...taken]);
  let metric = word.slice(0, 28);
  for (let count = 2; inUse.has(metric); count++) metric = `${word.slice(0, 28)}${count}`;
  known[path] = metric;
  return metric;
}

function wordOf({ path, name, part }: Place): string | null {
  const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (word !== undefined) return word;
  if (name === "Energy") return OTHER_ENERGY.test(path) ? "energy" : "kwh";
  return camelCase(part === null ? name : `${part} ${name}`);
}

function inHubUnit({ name, part }: Place, value: number, units: Units): number {
  if (/^(Temperature|DewPoint)\d*$/.test(name)) return rounded(quantity(value, units.temperature).value, 2);
  if (/^(Sea)?Pressure\d*$/.test(name)) return rounded(quantity(value, units.pressure).value, 2);
  return units.speed !== null && (name === "Speed" || part === "Speed")
    ? rounded(quantity(value, units.speed).value, 2)
    : value;
}
