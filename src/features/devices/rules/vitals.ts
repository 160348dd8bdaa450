/** What a device says of its battery and its radio, under whichever of the usual keys. */
import type { JsonObject } from "../../../core/kernel/json-object.ts";

const BATTERY_KEYS = ["battery", "batteryPercent", "battery_level", "batteryLevel"] as const;

/** Each well-known key of radio quality with its way to percent. */
const SIGNAL_KEYS: readonly (readonly [key: string, percent: (value: number) => number])[] = [
  ["signal", (value) => (value < 0 ? dbmToPercent(value) : value)],
  ["linkquality", (value) => (value / 255) * 100],
  ["lqi", (value) => (value / 255) * 100],
  ["rssi", (value) => (value < 0 ? dbmToPercent(value) : value)],
  ["wifiRssi", dbmToPercent],
];

const VITAL_KEYS: ReadonlySet<string> = new Set([...BATTERY_KEYS, ...SIGNAL_KEYS.map(([key]) => key)]);

/** Battery and radio quality in percent, where a message carries them under one of the usual keys; absent otherwise. */
export function vitalsOf(data: JsonObject): { battery?: number; signal?: number } {
  for (const key in data) if (VITAL_KEYS.has(key)) return vitalsAmong(data);
  return NO_VITALS;
}

/** Whether a state carries the charge of its device. */
export function hasBattery(state: JsonObject): boolean {
  return BATTERY_KEYS.some((key) => Object.hasOwn(state, key));
}

/**
 * A device's values as rules see them: its state, and the charge (percent) of a device that sends it with measured
 * values only.
 */
export function withBattery({
  state,
  battery,
}: {
  readonly state: JsonObject;
  readonly battery: number | null;
}): JsonObject {
  return battery === null || hasBattery(state) ? state : { ...state, battery };
}

const NO_VITALS = Object.freeze({});

function vitalsAmong(data: JsonObject): { battery?: number; signal?: number } {
  const vitals: { battery?: number; signal?: number } = {};
  for (const key of BATTERY_KEYS) {
    const value = finiteNumber(data, key);
    if (value !== null && value >= 0 && value <= 100) vitals.battery ??= Math.round(value);
  }
  for (const [key, percent] of SIGNAL_KEYS) {
    const value = finiteNumber(data, key);
    if (value !== null) vitals.signal ??= Math.round(Math.min(100, Math.max(0, percent(value))));
  }
  return vitals;
}

function finiteNumber(data: JsonObject, key: string): number | null {
  const value = Object.hasOwn(data, key) ? data[key] : null;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** -50 dBm and better is full strength, -100 dBm is zero: the usual linear scale. */
function dbmToPercent(dbm: number): number {
  return 2 * (dbm + 100);
}
