/**
 * The readings from the status of each component, one row per kind. Source: https://shelly-api-docs.shelly.cloud/gen2/,
 * components and services.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { hexOfRgb } from "../colours.ts";
import { camelCase, clamp, member, numberOf, rescale, rounded, textsOf } from "../json-values.ts";
import type { Kind, Learned, Part } from "./learned.ts";

/** The content of a status, gathered over its components. */
export interface Gathered {
  readonly state: JsonObject;
  readonly data: Record<string, number>;
  /** Wh by name of the total. */
  readonly counters: Map<string, number>;
  /** Alarms that are on or off now. */
  readonly alarms: Map<string, boolean>;
}

type Read = (device: Learned, part: Part, status: JsonObject, into: Gathered) => void;

/** An empty {@link Gathered}. */
export function nothing(): Gathered {
  return { state: {}, data: {}, counters: new Map(), alarms: new Map() };
}

/** Reads a component's status, whole or as a change, into `into`. */
export function read(device: Learned, part: Part, status: unknown, into: Gathered): void {
  if (isJsonObject(status)) READ[part.kind](device, part, status, into);
}

/** Metered values that every component with a meter calls the same. */
const METER: readonly (readonly [field: string, word: string, digits: number])[] = [
  ["apower", "watts", 2],
  ["act_power", "watts", 2],
  ["aprt_power", "voltAmps", 2],
  ["voltage", "voltage", 2],
  ["current", "amps", 3],
  ["pf", "powerFactor", 3],
  ["freq", "frequency", 2],
];

function put(into: Gathered, word: string, value: unknown, digits = 2): void {
  const number = numberOf(value);
  if (number !== null) into.data[word] = rounded(number, digits);
}

function count(into: Gathered, word: string, value: unknown): void {
  const number = numberOf(value);
  if (number !== null && number >= 0) into.counters.set(word, rounded(number, 3));
}

function meter(device: Learned, part: Part, status: JsonObject, into: Gathered): void {
  for (const [field, word, digits] of METER) put(into, device.meterWord(word, part), member(status, field), digits);
  count(into, device.meterWord("kwh", part), member(member(status, "aenergy"), "total"));
  count(into, device.meterWord("kwhExported", part), member(member(status, "ret_aenergy"), "total"));
  put(into, device.meterWord("deviceTemperature", part), member(member(status, "temperature"), "tC"));
  const errors = member(status, "errors");
  if (!Array.isArray(errors)) return;
  const names = textsOf(errors).slice(0, 8);
  into.state[device.meterWord("errors", part)] = names.length > 0 ? names : null;
  for (const name of ["overpower", "overtemp", "overvoltage", "undervoltage", "overcurrent"])
    into.alarms.set(name, names.includes(name) || into.alarms.get(name) === true);
}

const output: Read = (device, part, status, into) => {
  const on = member(status, "output");
  if (typeof on === "boolean") into.state[device.outputWord("power", part)] = on;
  const level = numberOf(member(status, "brightness"));
  if (level !== null) into.state[device.outputWord("brightness", part)] = Math.round(clamp(level, 0, 100));
  const kelvin = numberOf(member(status, "ct"));
  if (kelvin !== null && kelvin > 0) into.state[device.outputWord("colorTemperature", part)] = Math.round(kelvin);
  const rgb = member(status, "rgb");
  const [red, green, blue] = Array.isArray(rgb) ? rgb.slice(0, 3).map(numberOf) : [];
  if (typeof red === "number" && typeof green === "number" && typeof blue === "number")
    into.state[device.outputWord("color", part)] = hexOfRgb([red, green, blue]);
  const white = numberOf(member(status, "white"));
  if (white !== null) into.state[device.outputWord("white", part)] = rescale(white, 255, 100);
  meter(device, part, status, into);
};

const MOVING: Readonly<Record<string, string>> = {
  opening: "opening",
  closing: "closing",
  open: "stopped",
  closed: "stopped",
  stopped: "stopped",
  calibrating: "stopped",
};

const cover: Read = (device, part, status, into) => {
  const word = (name: string): string => device.word(name, part);
  const state = member(status, "state");
  if (typeof state === "string" && Object.hasOwn(MOVING, state)) {
    into.state[word("moving")] = MOVING[state];
    into.state[word("calibrating")] = state === "calibrating" ? true : null;
    if (state === "open" || state === "closed") into.state[word("position")] = state === "open" ? 100 : 0;
  }
  const controlled = member(status, "pos_control");
  if (typeof controlled === "boolean") device.positioned = controlled;
  const position = numberOf(member(status, "current_pos"));
  if (position !== null) into.state[word("position")] = Math.round(clamp(position, 0, 100));
  const slats = numberOf(member(status, "slat_pos"));
  if (slats !== null) into.state[word("tilt")] = Math.round(clamp(slats, 0, 100));
  meter(device, part, status, into);
};

const PHASE: readonly (readonly [field: string, word: string, digits: number])[] = [
  ["act_power", "watts", 2],
  ["aprt_power", "voltAmps", 2],
  ["current", "amps", 3],
  ["voltage", "voltage", 2],
  ["pf", "powerFactor", 3],
  ["freq", "frequency", 2],
];

const phases: Read = (_device, _part, status, into) => {
  for (const phase of ["a", "b", "c"]) {
    for (const [field, word, digits] of PHASE)
      put(into, `${word}${phase.toUpperCase()}`, member(status, `${phase}_${field}`), digits);
  }
  put(into, "watts", member(status, "total_act_power"));
  put(into, "voltAmps", member(status, "total_aprt_power"));
  put(into, "amps", member(status, "total_current"), 3);
  put(into, "ampsN", member(status, "n_current"), 3);
};

const input: Read = (device, part, status, into) => {
  const state = member(status, "state");
  if (typeof state === "boolean") into.state[device.word("input", part)] = state;
  put(into, device.word("inputPercent", part), member(status, "percent"));
  put(into, device.word("inputCount", part), member(member(status, "counts"), "total"), 0);
};

function value(field: string, word: string): Read {
  return (device, part, status, into) => put(into, device.word(word, part), member(status, field));
}

function alarm(word: string): Read {
  return (device, part, status, into) => {
    const on = member(status, "alarm");
    if (typeof on === "boolean") {
      into.state[device.word(word, part)] = on;
      into.alarms.set(word, on);
    }
    const mute = member(status, "mute");
    if (typeof mute === "boolean") into.state[device.word("mute", part)] = mute;
  };
}

/** Sensors on wires have ids from 100. */
const temperature: Read = (device, part, status, into) => {
  const own = part.id < 100 && device.warms;
  put(into, own ? "deviceTemperature" : device.word("temperature", part), member(status, "tC"));
};

const illuminance: Read = (device, part, status, into) => {
  put(into, device.word("illuminance", part), member(status, "lux"));
  const word = member(status, "illumination");
  if (typeof word === "string" && word.length < 20) into.state[device.word("illumination", part)] = word;
};

const battery: Read = (_device, _part, status, into) => {
  put(into, "battery", member(member(status, "battery"), "percent"));
  const external = member(member(status, "external"), "present");
  if (typeof external === "boolean") into.state.externalPower = external;
};

const READ: Readonly<Record<Kind, Read>> = {
  switch: output,
  light: output,
  cct: output,
  rgb: output,
  rgbw: output,
  cover,
  pm1: meter,
  em: phases,
  em1: meter,
  input,
  temperature,
  humidity: value("rh", "humidity"),
  illuminance,
  voltmeter: value("voltage", "voltage"),
  flood: alarm("leak"),
  smoke: alarm("smoke"),
  devicepower: battery,
};

/**
 * Totals of meters that keep them in a separate component: `emdata:0`, `em1data:1`. Returns false for other components.
 */
export function readTotals(device: Learned, name: string, status: unknown, into: Gathered): boolean {
  if (/^emdata:\d{1,4}$/.test(name)) {
    for (const phase of ["a", "b", "c"]) {
      count(into, `kwh${phase.toUpperCase()}`, member(status, `${phase}_total_act_energy`));
      count(into, `kwhExported${phase.toUpperCase()}`, member(status, `${phase}_total_act_ret_energy`));
    }
    count(into, "kwh", member(status, "total_act"));
    count(into, "kwhExported", member(status, "total_act_ret"));
    return true;
  }
  const [, digits] = /^em1data:(\d{1,4})$/.exec(name) ?? [];
  if (digits === undefined) return false;
  const part: Part = { kind: "em1", id: Number(digits) };
  count(into, device.meterWord("kwh", part), member(status, "total_act_energy"));
  count(into, device.meterWord("kwhExported", part), member(status, "total_act_ret_energy"));
  return true;
}

/** What the device itself reports: `sys`, `wifi`, `eth`. Returns false for other components. */
export function readBox(device: Learned, name: string, status: unknown, into: Gathered): boolean {
  if (name === "wifi" || name === "eth") {
    const rssi = numberOf(member(status, "rssi"));
    if (rssi !== null && rssi < 0) into.data.rssi = rounded(rssi);
    const ip = member(status, name === "wifi" ? "sta_ip" : "ip");
    if (typeof ip === "string" && /^[0-9.]{7,15}$/.test(ip)) device.address = ip;
    return true;
  }
  if (name !== "sys") return false;
  const updates = member(status, "available_updates");
  if (isJsonObject(updates)) into.state.updateAvailable = member(updates, "stable") !== undefined;
  const restart = member(status, "restart_required");
  if (typeof restart === "boolean") into.state.restartRequired = restart;
  const wake = numberOf(member(status, "wakeup_period"));
  if (wake !== null && wake > 0 && wake <= 7 * 86_400) device.wakeSeconds = Math.round(wake);
  return true;
}

/** Kind of an event as automations see it, from the firmware's name for it. */
export function actionOf(event: string): string | null {
  const actions: Readonly<Record<string, string>> = {
    single_push: "single",
    double_push: "double",
    triple_push: "triple",
    long_push: "long",
  };
  if (Object.hasOwn(actions, event)) return actions[event] ?? null;
  return /^(double|triple|long)_/.test(event) ? camelCase(event) : null;
}
