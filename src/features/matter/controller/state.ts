/**
 * The type of a Matter node's unit and its state, in the words shared by all makes (head of firmware-bridge/family.ts).
 */
import { hexOfRgb, reciprocalMegakelvin, rgbOfHueSaturation, rgbOfXy } from "../../../../firmware-bridge/colours.ts";
import { rounded } from "../../../../firmware-bridge/json-values.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { AttributeName } from "./clusters.ts";
import type { EndpointView, Unit } from "./node-view.ts";

/** The state of a unit. */
export interface UnitState {
  readonly state: JsonObject;
  /** Measured numbers. */
  readonly measured: Readonly<Record<string, number>>;
  /** Running totals of meters. */
  readonly counters: readonly { readonly metric: string; readonly wattHours: number }[];
}

/** A number among an endpoint's values; null where it has none. */
export function numberIn({ values }: EndpointView, name: AttributeName): number | null {
  const value = values[name];
  return typeof value === "number" ? value : null;
}

function truthIn({ values }: EndpointView, name: AttributeName): boolean | null {
  const value = values[name];
  return typeof value === "boolean" ? value : null;
}

/** Whether an endpoint's cluster has a feature. */
export function hasFeature(
  { values }: EndpointView,
  cluster: "colorFeatures" | "coveringFeatures" | "thermostatFeatures",
  feature: string,
): boolean {
  const features = values[cluster];
  return typeof features === "string" && features.split(",").includes(feature);
}

/** Endpoints of a unit that can be switched, in the order of the channels. */
export function switches({ endpoints }: Unit): EndpointView[] {
  return endpoints.filter(({ values }) => Object.hasOwn(values, "onOff"));
}

/** Speeds of a fan as the hub counts them: its own, or five. */
export function fanSpeeds(endpoint: EndpointView): number {
  const most = numberIn(endpoint, "speedMost");
  return most !== null && most >= 1 && most <= 10 ? most : 5;
}

const MODES: ReadonlyMap<number, string> = new Map([
  [0, "off"],
  [1, "auto"],
  [3, "cool"],
  [4, "heat"],
]);

/** A thermostat's mode by the hub's word; null for an unknown word. */
export function systemModeOf(word: unknown): number | null {
  return [...MODES].find(([, name]) => name === word)?.[0] ?? null;
}

/** Which setpoint is a thermostat's target in its current mode. */
export function setpointOf(endpoint: EndpointView): "heating" | "cooling" {
  const cools = numberIn(endpoint, "cooling") !== null;
  if (numberIn(endpoint, "heating") === null) return "cooling";
  return cools && numberIn(endpoint, "systemMode") === 3 ? "cooling" : "heating";
}

const AIR = ["unknown", "good", "fair", "moderate", "poor", "veryPoor", "extremelyPoor"] as const;
const WATER_LEAK = 0x43;
const FREEZE = 0x41;
const RAIN = 0x44;

/** Matter's level 1–254 as percent; a lamp that is lit shows at least 1. */
export function percentOfLevel(level: number): number {
  return level <= 0 ? 0 : Math.max(1, Math.min(100, Math.round((level / 254) * 100)));
}

/** A unit's present state. */
export function unitState(unit: Unit): UnitState {
  const state: JsonObject = {};
  const measured: Record<string, number> = {};
  const counters: { metric: string; wattHours: number }[] = [];
  const outputs = switches(unit);
  for (const endpoint of unit.endpoints) {
    const channel = outputs.indexOf(endpoint) + 1;
    Object.assign(
      state,
      outputs.length > 1 && channel > 0
        ? { [`power${channel}`]: truthIn(endpoint, "onOff") ?? false }
        : lightState(endpoint),
    );
    Object.assign(
      state,
      sensedState(endpoint),
      coverState(endpoint),
      climateState(endpoint),
      fanState(endpoint),
      lockState(endpoint),
    );
    for (const [metric, value] of Object.entries(measuredOf(endpoint))) measured[free(metric, measured)] = value;
    for (const [metric, wattHours] of countersOf(endpoint)) {
      const taken = Object.fromEntries(counters.map((counter) => [counter.metric, true]));
      counters.push({ metric: free(metric, taken), wattHours });
    }
  }
  return { state, measured, counters };
}

/** `watts`, or `watts2` if the unit already has one. */
function free(metric: string, taken: Readonly<Record<string, unknown>>): string {
  let name = metric;
  for (let count = 2; Object.hasOwn(taken, name); count++) name = `${metric}${count}`;
  return name;
}

function lightState(endpoint: EndpointView): JsonObject {
  const state: JsonObject = {};
  const on =
    truthIn(endpoint, "onOff") ?? (Object.hasOwn(endpoint.values, "valve") ? numberIn(endpoint, "valve") === 1 : null);
  if (on !== null) state.power = on;
  const level = numberIn(endpoint, "level");
  if (level !== null) state.brightness = percentOfLevel(level);
  const mode = numberIn(endpoint, "colorMode");
  if (mode === null) return state;
  const [mireds, hue, saturation] = [
    numberIn(endpoint, "mireds"),
    numberIn(endpoint, "hue"),
    numberIn(endpoint, "saturation"),
  ];
  const [x, y] = [numberIn(endpoint, "colorX"), numberIn(endpoint, "colorY")];
  const inMode = { color: null as string | null, colorTemperature: null as number | null };
  if (mode === 2 && mireds !== null) inMode.colorTemperature = reciprocalMegakelvin(mireds);
  if (mode === 0 && hue !== null && saturation !== null) inMode.color = colorOfHueSaturation(hue, saturation);
  if (mode === 1 && x !== null && y !== null) inMode.color = colorOfXy(x, y);
  return { ...state, ...inMode };
}

/** Matter's hue and saturation, 0–254, as "#rrggbb". */
export function colorOfHueSaturation(hue: number, saturation: number): string {
  return hexOfRgb(rgbOfHueSaturation((hue / 254) * 360, (saturation / 254) * 100));
}

/** Matter's CIE x and y, 0–65535, as "#rrggbb". */
export function colorOfXy(x: number, y: number): string {
  return hexOfRgb(rgbOfXy(x / 65_536, y / 65_536));
}

function sensedState(endpoint: EndpointView): JsonObject {
  const state: JsonObject = {};
  const sensed = truthIn(endpoint, "stateValue");
  if (sensed !== null) {
    const word = endpoint.deviceTypes.includes(WATER_LEAK)
      ? "leak"
      : endpoint.deviceTypes.includes(FREEZE)
        ? "freeze"
        : endpoint.deviceTypes.includes(RAIN)
          ? "rain"
          : "contact";
    state[word] = sensed;
  }
  const occupied = truthIn(endpoint, "occupied");
  if (occupied !== null) state.motion = occupied;
  const [smoke, gas, air] = [
    numberIn(endpoint, "smokeState"),
    numberIn(endpoint, "coState"),
    numberIn(endpoint, "airQuality"),
  ];
  if (smoke !== null) state.smoke = smoke > 0;
  if (gas !== null) state.gas = gas > 0;
  if (air !== null) state.airQuality = AIR[air] ?? "unknown";
  return state;
}

function coverState(endpoint: EndpointView): JsonObject {
  const [lift, tilt, motion] = [numberIn(endpoint, "lift"), numberIn(endpoint, "tilt"), numberIn(endpoint, "covering")];
  const state: JsonObject = {};
  if (lift !== null) state.position = openOf(lift);
  if (tilt !== null) state.tilt = openOf(tilt);
  if (motion !== null) state.moving = motion === 1 ? "opening" : motion === 2 ? "closing" : "stopped";
  return state;
}

/** Hundredths of a percent closed as percent open. */
function openOf(closed: number): number {
  return Math.max(0, Math.min(100, Math.round(100 - closed / 100)));
}

function climateState(endpoint: EndpointView): JsonObject {
  const mode = numberIn(endpoint, "systemMode");
  if (mode === null) return {};
  const target = numberIn(endpoint, setpointOf(endpoint));
  return { mode: MODES.get(mode) ?? "other", ...(target === null ? {} : { target: rounded(target / 100, 1) }) };
}

function fanState(endpoint: EndpointView): JsonObject {
  const mode = numberIn(endpoint, "fanMode");
  if (mode === null) return {};
  const own = numberIn(endpoint, "speedMost") === fanSpeeds(endpoint) ? numberIn(endpoint, "speed") : null;
  const percent = numberIn(endpoint, "percent");
  const speed = own ?? (percent === null ? null : Math.ceil(percent / 20));
  return { power: mode !== 0, ...(speed === null ? {} : { speed }) };
}

function lockState(endpoint: EndpointView): JsonObject {
  const [locked, door] = [numberIn(endpoint, "lockState"), numberIn(endpoint, "doorState")];
  return { ...(locked === null ? {} : { locked: locked === 1 }), ...(door === null ? {} : { contact: door === 1 }) };
}

function measuredOf(endpoint: EndpointView): Record<string, number> {
  const found: Record<string, number> = {};
  const take = (metric: string, name: AttributeName, convert: (value: number) => number): void => {
    const value = numberIn(endpoint, name);
    if (value !== null && !Object.hasOwn(found, metric)) found[metric] = convert(value);
  };
  take("temperature", "temperature", (value) => rounded(value / 100, 1));
  take("temperature", "localTemperature", (value) => rounded(value / 100, 1));
  take("humidity", "humidity", (value) => rounded(value / 100, 1));
  take("pressure", "pressure", (value) => value);
  take("illuminance", "illuminance", (value) =>
    value <= 0 ? 0 : Math.round(10 ** ((Math.min(value, 65_534) - 1) / 10_000)),
  );
  take("co2", "co2", (value) => Math.round(value));
  take("co", "co", (value) => rounded(value, 1));
  take("pm25", "pm25", (value) => rounded(value, 1));
  take("pm10", "pm10", (value) => rounded(value, 1));
  take("watts", "watts", (value) => rounded(value / 1000, 1));
  take("voltage", "voltage", (value) => rounded(value / 1000, 1));
  take("voltage", "rmsVoltage", (value) => rounded(value / 1000, 1));
  take("amps", "current", (value) => rounded(value / 1000, 2));
  take("amps", "rmsCurrent", (value) => rounded(value / 1000, 2));
  take("frequency", "frequency", (value) => rounded(value / 1000, 1));
  take("powerFactor", "powerFactor", (value) => rounded(value / 10_000, 2));
  take("battery", "battery", (value) => Math.min(100, Math.round(value / 2)));
  return found;
}

function countersOf(endpoint: EndpointView): [metric: string, wattHours: number][] {
  const [imported, exported] = [numberIn(endpoint, "imported"), numberIn(endpoint, "exported")];
  return [
    ...(imported === null ? [] : [["kwh", imported / 1000] as [string, number]]),
    ...(exported === null ? [] : [["kwhExported", exported / 1000] as [string, number]]),
  ];
}
