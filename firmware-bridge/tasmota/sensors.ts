import type { JsonObject } from "../../src/contract/facts.js";
import { quantity } from "../units.js";
import { camelCase, isObject, numberOf, rounded } from "../words.js";

/** Which measured value each place of a sensor message is; learned in the order in which places were first seen. */
export type SensorMap = Record<string, string>;

/** Readings of a sensor message. */
export interface Readings {
  readonly telemetry: Record<string, number>;
  readonly counters: readonly { readonly metric: string; readonly wattHours: number; readonly epoch: string | null }[];
  readonly states: JsonObject;
  /** A place was seen for the first time. */
  readonly learned: boolean;
}

/** Members that tell something else, or are read elsewhere. Cards and tags are no measurement. */
const IGNORED: ReadonlySet<string> = new Set(["Time", "TempUnit", "PressureUnit", "SpeedUnit", "PN532", "RDM6300", "Epoch", "Wifi", "ESP32"]);
const MOST_PLACES = 48;

/** Words of the firmware that have one of the hub's. */
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

/** Members of ENERGY that are measured now. */
const ENERGY_WORDS: Readonly<Record<string, string>> = {
  Power: "watts",
  ApparentPower: "voltAmps",
  ReactivePower: "vars",
  Factor: "powerFactor",
  Frequency: "frequency",
  Voltage: "voltage",
  Current: "amps",
};
/** What adds up over phases; of the others there is no value for the whole. */
const ADDED: ReadonlySet<string> = new Set(["watts", "voltAmps", "vars"]);

/** Reads a `sn`, SENSOR or StatusSNS object. `known` is what was learned before; new places are added to it. */
export function readSensors(value: JsonObject, known: SensorMap): Readings {
  const telemetry: Record<string, number> = {};
  const states: JsonObject = {};
  const before = Object.keys(known).length;
  const units = {
    temperature: typeof value.TempUnit === "string" ? value.TempUnit : "C",
    pressure: typeof value.PressureUnit === "string" ? value.PressureUnit : "hPa",
  };
  const counters = isObject(value.ENERGY) ? readEnergy(value.ENERGY, telemetry) : [];
  const walk = (place: string, name: string, found: unknown, depth: number): void => {
    const number = numberOf(found);
    if (number !== null) {
      const metric = metricOf(place, name, known);
      if (metric !== null) telemetry[metric] = inHubUnit(name, number, units);
    } else if (Array.isArray(found))
      for (const [index, entry] of found.slice(0, 16).entries()) walk(`${place}[${index}]`, `${name}${index + 1}`, entry, depth + 1);
    else if (isObject(found) && depth < 4) {
      for (const [key, entry] of Object.entries(found)) if (!IGNORED.has(key) && key !== "Id") walk(`${place}.${key}`, key, entry, depth + 1);
    }
  };
  for (const [key, found] of Object.entries(value)) {
    if (IGNORED.has(key) || key === "ENERGY" || /^(Switch|Button|Shutter|POWER)\d*$/.test(key)) continue;
    walk(key, key, found, 0);
  }
  return { telemetry, counters, states, learned: Object.keys(known).length > before };
}

/** Power, voltage and totals of a meter; of several phases each and, where that means something, their sum. */
function readEnergy(energy: JsonObject, telemetry: Record<string, number>): Readings["counters"] {
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
  ];
  return totals.flatMap(({ wattHours, ...counter }) => (wattHours === null ? [] : [{ ...counter, wattHours }]));
}

/** A value, or one per phase; fewer may come than were announced. */
function phases(value: unknown): number[] {
  const values = Array.isArray(value) ? value.slice(0, 8) : [value];
  return values.flatMap((entry) => numberOf(entry) ?? []);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The metric of a place: the word of its kind, numbered from the second place of a kind on. Null past the bound. */
function metricOf(place: string, name: string, known: SensorMap): string | null {
  const own = Object.hasOwn(known, place) ? known[place] : undefined;
  if (own !== undefined) return own;
  if (Object.keys(known).length >= MOST_PLACES || place.length > 100) return null;
  const word = WORDS[name] ?? camelCase(place.includes(".") ? name : place);
  if (word === null || !/^[A-Za-z]/.test(word)) return null;
  const taken = new Set(Object.values(known));
  let metric = word.slice(0, 28);
  for (let count = 2; taken.has(metric); count++) metric = `${word.slice(0, 28)}${count}`;
  known[place] = metric;
  return metric;
}

function inHubUnit(name: string, value: number, units: { readonly temperature: string; readonly pressure: string }): number {
  if (name === "Temperature" || name === "DewPoint") return rounded(quantity(value, units.temperature).value, 2);
  return name === "Pressure" || name === "SeaPressure" ? rounded(quantity(value, units.pressure).value, 2) : value;
}
