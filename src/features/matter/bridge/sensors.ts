/** A device's measurements, as endpoints. */
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { EndpointKind, EndpointValues } from "./calls.ts";
import { type BridgeableDevice, ofKind, type Part, PLAIN, type Read, rangeOf } from "./part.ts";
import { bool, negated, num } from "./values.ts";

interface Sensor {
  readonly field: string;
  readonly kind: EndpointKind;
  readonly suffix: string;
  readonly read: Read;
}

const SENSORS: readonly Sensor[] = [
  {
    field: "temperature",
    kind: "temperature",
    suffix: "temperature",
    read: (state) => ({ temperature: num(state.temperature, -100, 300) }),
  },
  {
    field: "humidity",
    kind: "humidity",
    suffix: "humidity",
    read: (state) => ({ humidity: num(state.humidity, 0, 100) }),
  },
  { field: "motion", kind: "motion", suffix: "motion", read: (state) => ({ motion: bool(state.motion) }) },
  { field: "occupancy", kind: "motion", suffix: "presence", read: (state) => ({ motion: bool(state.occupancy) }) },
  { field: "contact", kind: "contact", suffix: "contact", read: (state) => ({ contact: bool(state.contact) }) },
  { field: "alarm", kind: "contact", suffix: "alarm", read: (state) => ({ contact: negated(bool(state.alarm)) }) },
  {
    field: "illuminance",
    kind: "illuminance",
    suffix: "light",
    read: (state) => ({ illuminance: num(state.illuminance, 0, 4_000_000) }),
  },
];
const AIR = ["co2", "pm25", "voc"] as const;

/** A device's measurements, one endpoint each: apps that do not know composed devices show every one. */
export function sensorParts(device: BridgeableDevice): Part[] {
  const known = new Set([...Object.keys(device.state), ...device.metrics]);
  const isThermostat = rangeOf(device.capabilities.controls, "target") !== null;
  const parts: Part[] = SENSORS.filter(
    ({ field }) => known.has(field) && !(isThermostat && field === "temperature"),
  ).map(({ field, ...sensor }) => ({
    ...sensor,
    part: field,
    features: PLAIN,
    command: () => null,
  }));
  const air = AIR.filter((field) => known.has(field));
  if (air.length > 0) {
    const read: Read = (state) => Object.fromEntries(air.map((field) => [field, num(state[field], 0, 100_000)]));
    parts.push({ part: "air", kind: "air", suffix: "air", features: PLAIN, read, command: () => null });
  }
  const isSwitched = ofKind(device.capabilities.controls, "toggle").some(({ field }) => field === "power");
  if (!isSwitched && isMetered(device))
    parts.push({
      part: "meter",
      kind: "meter",
      suffix: "meter",
      features: { ...PLAIN, meters: true },
      read: meterValues,
      command: () => null,
    });
  return parts;
}

/** Whether a device measures its power. */
export function isMetered({ state, metrics }: BridgeableDevice): boolean {
  return "watts" in state || metrics.includes("watts");
}

/** A meter's values, as far as it reported them. */
export function meterValues(state: JsonObject): EndpointValues {
  const values = {
    watts: num(state.watts, -1e7, 1e7),
    volts: num(state.voltage, 0, 10_000),
    amps: num(state.amps, 0, 10_000),
    kwh: num(state.kwh, 0, 1e9),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
