/**
 * Keys of device states and telemetry as people read them: their meaning and unit. Unknown keys stay as the device
 * sends them.
 */
import { keyedText } from "./hub-texts.ts";
import { number, t } from "./translate.ts";

const UNITS: Readonly<Record<string, string>> = {
  watts: "W",
  power_w: "W",
  voltage: "V",
  current: "A",
  kwh: "kWh",
  rssi: "dBm",
  temperature: "°C",
  target: "°C",
  humidity: "%",
  battery: "%",
  brightness: "%",
  position: "%",
  soil: "%",
  pressure: "hPa",
  illuminance: "lx",
  lux: "lx",
  co2: "ppm",
  frequency: "Hz",
};

/** The unit of a number under `key`; empty if unknown. */
export function unitOf(key: string): string {
  return UNITS[key] ?? "";
}

/** What `key` means. */
export function measureName(key: string): string {
  return keyedText(`measure.${key}`, key);
}

/** A value of a device's state in words. */
export function measured(key: string, value: unknown): string {
  if (typeof value === "number") return `${number(value, 2)} ${unitOf(key)}`.trim();
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
