/**
 * The readings of a Gen1 device, one row per topic. Source: https://shelly-api-docs.shelly.cloud/gen1/, MQTT sections
 * of each device.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { booleanOf, jsonOf, member, numberOf, rounded, textOf, textsOf } from "../json-values.ts";
import { lamp, lampStatus } from "./lamp-readings.ts";
import type { Learned } from "./learned.ts";
import type { PartKind } from "./models.ts";
import { percent, type Read, type Reading, type Row } from "./reading.ts";

const NOTHING: Reading = {};
/** Values that sensors report when they have none. */
const NO_VALUE: ReadonlySet<number> = new Set([999, -1]);
const NO_VALUE_WORDS: ReadonlySet<string> = new Set(["nan", "null", "none", "unknown", "unavailable"]);
/** Power counts in W·min since the last restart. */
const WATT_MINUTES = 60;

/** The row of a topic below the device's own level, with the index in it; null for topics that report nothing. */
export function rowOf(rest: string): { readonly row: Row; readonly index: number } | null {
  const match = /^([a-z_]+)\/(\d{1,2})(\/[a-z_]+)?$/.exec(rest);
  const pattern = match === null ? rest : `${match[1]}/#${match[3] ?? ""}`;
  const row = ROWS.get(pattern);
  return row === undefined ? null : { row, index: match === null ? 0 : Number(match[2]) };
}

function telemetry(name: (device: Learned, index: number) => string, digits = 3): Read {
  return (device, { index, text }) => {
    const value = numberOf(text);
    if (value === null) return NO_VALUE_WORDS.has(text.toLowerCase()) ? NOTHING : null;
    return NO_VALUE.has(value) ? NOTHING : { data: { [name(device, index)]: rounded(value, digits) } };
  };
}

function measured(name: string): Row {
  return { read: telemetry(() => name) };
}

function metered(part: PartKind, word: string): Row {
  return { part, read: telemetry((device, index) => device.word(word, part, index)) };
}

function counted(part: PartKind, word: string, divisor: number): Row {
  return {
    part,
    read: (device, { index, text }) => {
      const value = numberOf(text);
      if (value === null || value < 0) return null;
      return { counter: { metric: phase(device, part, word, index), wattHours: rounded(value / divisor, 3) } };
    },
  };
}

function flag(name: string, alarm?: { readonly kind: string; readonly title: string }): Row {
  return {
    read: (_device, { text }) => {
      const value = booleanOf(text);
      if (value === null) return text === "-1" || text === "unknown" ? NOTHING : null;
      return { state: { [name]: value }, ...(alarm ? { alarm: { ...alarm, on: value } } : {}) };
    },
  };
}

function words(name: string): Row {
  return {
    read: (_device, { text }) => {
      const value = textOf(text, 60);
      return value === null ? null : { state: { [name]: value } };
    },
  };
}

/** Three-phase meters use A, B and C; others count. */
function phase(device: Learned, part: PartKind, word: string, index: number): string {
  if (part === "emeter" && device.count("emeter") === 3) return `${word}${"ABC".charAt(index)}`;
  return device.word(word, part, index);
}

function phased(word: string): Row {
  return { part: "emeter", read: telemetry((device, index) => phase(device, "emeter", word, index), 3) };
}

const emeterPower: Read = (device, { index, text }) => {
  const watts = numberOf(text);
  if (watts === null) return null;
  const data: Record<string, number> = { [phase(device, "emeter", "watts", index)]: rounded(watts, 2) };
  if (device.count("emeter") === 3 && index < 3) {
    device.phases[index] = watts;
    const [a, b, c] = device.phases;
    // The three come one after another; the sum is reported with the last.
    if (index === 2 && typeof a === "number" && typeof b === "number" && typeof c === "number")
      data.watts = rounded(a + b + c, 2);
  }
  return { data };
};

const relay: Read = (device, { index, text }) => {
  if (text !== "on" && text !== "off" && text !== "overpower") return null;
  const alarm = { kind: "overpower", title: "Switched off: too much power drawn", on: text === "overpower" };
  const isReported = alarm.on || (text === "on" && device.alarms.has(alarm.kind)); // over with the next switching on
  return {
    state: { [device.word("power", "relay", index)]: text === "on", ...(isReported ? { overpower: alarm.on } : {}) },
    ...(isReported ? { alarm } : {}),
  };
};

const MOVING: Readonly<Record<string, string>> = { open: "opening", close: "closing", stop: "stopped" };

const roller: Read = (_device, { text }) => (Object.hasOwn(MOVING, text) ? { state: { moving: MOVING[text] } } : null);

const rollerPosition: Read = (device, { text }) => {
  const position = numberOf(text);
  if (position === null || position < -1 || position > 101) return null;
  device.calibrated = position >= 0 && position <= 100; // −1 and 101: not known
  return { state: { position: device.calibrated ? Math.round(position) : null, calibrated: device.calibrated } };
};

const input: Read = (device, { index, text }) => {
  const value = booleanOf(text);
  return value === null ? null : { state: { [device.word("input", "input", index)]: value } };
};

const ACTIONS: Readonly<Record<string, string>> = {
  S: "single",
  SS: "double",
  SSS: "triple",
  L: "long",
  SL: "shortLong",
  LS: "longShort",
};

/** The same press is reported again with every update; its count shows whether it is new. */
const inputEvent: Read = (device, { index, text, retained, at }) => {
  const value = jsonOf(text);
  if (!isJsonObject(value)) return null;
  const code = member(value, "event");
  const count = numberOf(member(value, "event_cnt"));
  if (typeof code !== "string" || count === null) return null;
  const before = device.presses.get(index);
  device.presses.set(index, count);
  device.counted.add(index);
  if (!Object.hasOwn(ACTIONS, code) || before === count || retained) return NOTHING;
  if (before === undefined && !device.sleeps && at < device.quietUntil) return NOTHING;
  const action = ACTIONS[code] ?? "";
  return {
    state: { [device.word("action", "input", index)]: action },
    press: { input: device.count("input") > 1 ? index + 1 : 0, action },
  };
};

/** Older firmware without `input_event`: 1 = long, 0 = short, reported at the end of a press. */
const longPush: Read = (device, { index, text, retained, at }) => {
  const value = booleanOf(text);
  if (value === null) return null;
  if (device.counted.has(index) || retained || !value || at < device.quietUntil) return NOTHING;
  return {
    state: { [device.word("action", "input", index)]: "long" },
    press: { input: device.count("input") > 1 ? index + 1 : 0, action: "long" },
  };
};

const contact: Read = (_device, { text }) => {
  if (text !== "open" && text !== "close") return text === "unknown" ? NOTHING : null;
  return { state: { contact: text === "close" } };
};

const gas: Read = (_device, { text }) => {
  if (text === "unknown") return NOTHING;
  if (!["none", "mild", "heavy", "test"].includes(text)) return null;
  const found = text === "mild" || text === "heavy";
  return { state: { gas: found, gasLevel: text }, alarm: { kind: "gas", title: "Gas detected", on: found } };
};

const reasons: Read = (_device, { text }) => {
  const list = jsonOf(text);
  return Array.isArray(list) ? { state: { wakeReasons: textsOf(list).slice(0, 8) } } : null;
};

function celsius(value: unknown): number | null {
  const number = numberOf(member(value, "value"));
  if (number === null || NO_VALUE.has(number) || member(value, "is_valid") === false) return null;
  return rounded(member(value, "units") === "F" ? ((number - 32) * 5) / 9 : number, 2);
}

/** JSON of Motion, Motion 2 and the thermostat: one object with everything. */
const status: Read = (_device, { text }) => {
  const value = jsonOf(text);
  if (!isJsonObject(value)) return null;
  const state: JsonObject = {};
  for (const name of ["motion", "vibration", "charger"])
    if (typeof member(value, name) === "boolean") state[name] = member(value, name);
  const active = member(value, "active");
  if (typeof active === "boolean") state.motionDetection = active;
  const lux = numberOf(member(value, "lux"));
  const battery = percent(
    isJsonObject(member(value, "bat")) ? member(member(value, "bat"), "value") : member(value, "bat"),
  );
  const data: Record<string, number> = {};
  if (lux !== null && lux >= 0) data.illuminance = lux;
  if (battery !== null) data.battery = battery;
  const temperature = celsius(member(value, "tmp"));
  if (temperature !== null) data.temperature = temperature;
  if (isJsonObject(member(value, "target_t"))) Object.assign(state, thermostat(value, data));
  return { state, data };
};

function thermostat(value: JsonObject, data: Record<string, number>): JsonObject {
  const state: JsonObject = {};
  const target = celsius(member(value, "target_t"));
  if (target !== null) state.target = target;
  const enabled = member(member(value, "target_t"), "enabled");
  if (typeof enabled === "boolean") state.mode = enabled ? "heat" : "manual";
  const temperature = celsius(member(value, "tmp"));
  if (temperature !== null) data.temperature = temperature;
  const valve = numberOf(member(value, "pos"));
  if (valve !== null && valve >= 0) state.valve = Math.round(valve);
  for (const [name, word] of THERMOSTAT_FLAGS)
    if (typeof member(value, name) === "boolean") state[word] = member(value, name);
  const profile = numberOf(member(value, "schedule_profile"));
  if (profile !== null) state.scheduleProfile = profile;
  const boost = numberOf(member(value, "boost_minutes"));
  if (boost !== null) state.boostMinutes = boost;
  return state;
}

const THERMOSTAT_FLAGS: readonly (readonly [string, string])[] = [
  ["window_open", "windowOpen"],
  ["schedule", "schedule"],
  ["calibrated", "calibrated"],
];

/** /status, of which only members without a topic of their own are used. */
const info: Read = (device, { text }) => {
  const value = jsonOf(text);
  if (!isJsonObject(value)) return null;
  const state: JsonObject = {};
  const data: Record<string, number> = {};
  const wifi = member(value, "wifi_sta");
  const rssi = numberOf(member(wifi, "rssi"));
  if (rssi !== null && rssi < 0) data.rssi = rssi;
  const ip = member(wifi, "ip");
  if (typeof ip === "string" && /^[0-9.]{7,15}$/.test(ip)) device.address = ip;
  const update = member(member(value, "update"), "has_update");
  if (typeof update === "boolean") state.updateAvailable = update;
  const battery = percent(member(member(value, "bat"), "value"));
  if (battery !== null) data.battery = battery;
  if (typeof member(value, "charger") === "boolean") state.charger = member(value, "charger");
  if (typeof member(value, "calibrated") === "boolean" && device.count("thermostat") > 0)
    state.calibrated = member(value, "calibrated");
  const heads = member(value, "thermostats");
  const head: unknown = Array.isArray(heads) ? heads[0] : null;
  if (isJsonObject(head)) Object.assign(state, thermostat(head, data));
  return { state, data };
};

const externalTemperature: Read = telemetry(
  (_device, index) => (index === 0 ? "temperature" : `temperature${index + 1}`),
  2,
);
const externalHumidity: Read = telemetry((_device, index) => (index === 0 ? "humidity" : `humidity${index + 1}`), 2);

const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ["relay/#", { part: "relay", read: relay }],
  ["relay/#/power", metered("relay", "watts")],
  ["relay/#/energy", counted("relay", "kwh", WATT_MINUTES)],
  ["relay/#/overpower_value", metered("relay", "overpowerWatts")],
  ["relay/power", measured("watts")],
  ["relay/energy", { read: counted("roller", "kwh", WATT_MINUTES).read }], // Shelly 2 has one meter for both relays
  ["roller/#", { part: "roller", read: roller }],
  ["roller/#/pos", { part: "roller", read: rollerPosition }],
  ["roller/#/power", metered("roller", "watts")],
  ["roller/#/energy", counted("roller", "kwh", WATT_MINUTES)],
  ["roller/#/stop_reason", words("stopReason")],
  ["light/#", { part: "light", read: lamp("light") }],
  ["light/#/status", { part: "light", read: lampStatus("light") }],
  ["light/#/power", metered("light", "watts")],
  ["light/#/energy", counted("light", "kwh", WATT_MINUTES)],
  ["color/#", { part: "color", read: lamp("color") }],
  ["color/#/status", { part: "color", read: lampStatus("color") }],
  ["color/#/power", metered("color", "watts")],
  ["color/#/energy", counted("color", "kwh", WATT_MINUTES)],
  ["white/#", { part: "white", read: lamp("white") }],
  ["white/#/status", { part: "white", read: lampStatus("white") }],
  ["white/#/power", metered("white", "watts")],
  ["white/#/energy", counted("white", "kwh", WATT_MINUTES)],
  ["emeter/#/power", { part: "emeter", read: emeterPower }],
  ["emeter/#/reactive_power", phased("vars")],
  ["emeter/#/voltage", phased("voltage")],
  ["emeter/#/current", phased("amps")],
  ["emeter/#/pf", phased("powerFactor")],
  ["emeter/#/total", counted("emeter", "kwh", 1)],
  ["emeter/#/total_returned", counted("emeter", "kwhExported", 1)],
  ["input/#", { part: "input", read: input }],
  ["input_event/#", { part: "input", read: inputEvent }],
  ["longpush/#", { part: "input", read: longPush }],
  ["temperature", measured("deviceTemperature")],
  ["overtemperature", flag("overtemperature", { kind: "overtemperature", title: "Too hot" })],
  ["voltage", measured("voltage")],
  ["ext_temperature/#", { read: externalTemperature }],
  ["ext_humidity/#", { read: externalHumidity }],
  ["ext_switch/#", flag("extSwitch")],
  ["adc/#", measured("voltage")],
  ["sensor/temperature", measured("temperature")],
  ["sensor/humidity", measured("humidity")],
  ["sensor/battery", measured("battery")],
  ["sensor/lux", measured("illuminance")],
  ["sensor/tilt", measured("tiltAngle")],
  ["sensor/concentration", measured("gasConcentration")],
  ["sensor/state", { read: contact }],
  ["sensor/illumination", words("illumination")],
  ["sensor/vibration", flag("vibration")],
  ["sensor/flood", flag("leak", { kind: "leak", title: "Water leak" })],
  ["sensor/smoke", flag("smoke", { kind: "smoke", title: "Smoke" })],
  ["sensor/gas", { read: gas }],
  ["sensor/motion", flag("motion")],
  ["sensor/charger", flag("charger")],
  ["sensor/act_reasons", { read: reasons }],
  ["sensor/wakeupevent", { read: reasons }],
  ["status", { read: status }],
  ["info", { read: info }],
]);
