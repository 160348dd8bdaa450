/**
 * Keys of device states and telemetry as people read them: their meaning and unit. Unknown keys become the
 * words that they are made of.
 */
import { keyedText } from "./hub-texts.ts";
import { isTextKey, number, t } from "./translate.ts";
import { withUnit } from "./unbroken.ts";

const ALIASES: Readonly<Record<string, string>> = {
  batt: "battery",
  bat: "battery",
  batterylevel: "battery",
  batterypercent: "battery",
  temp: "temperature",
  temperaturec: "temperature",
  hum: "humidity",
  rh: "humidity",
  lux: "illuminance",
  volt: "voltage",
  volts: "voltage",
  amps: "current",
  powerw: "watts",
  activepower: "watts",
  lqi: "linkquality",
  occupancy: "motion",
  pir: "motion",
  boardtemperature: "temperature",
};

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
  percent: "%",
  soil: "%",
  pressure: "hPa",
  illuminance: "lx",
  lux: "lx",
  co2: "ppm",
  frequency: "Hz",
};

/** The usual name of a value that makers shorten or spell in their own way. */
export function baseOf(key: string): string {
  const word = key.toLowerCase().replaceAll(/[_-]/g, "");
  return ALIASES[word] ?? key;
}

/** The unit of a number under `key`; empty if unknown. */
export function unitOf(key: string): string {
  return UNITS[key] ?? UNITS[baseOf(key)] ?? "";
}

/** What `key` means. */
export function measureName(key: string): string {
  return keyedText(`measure.${key}`, keyedText(`measure.${baseOf(key)}`, inWords(key)));
}

/** Whether `key` has a name of its own, and not only the words that it is made of. */
export function isNamedMeasure(key: string): boolean {
  return isTextKey(`measure.${key}`) || isTextKey(`measure.${baseOf(key)}`);
}

/** `targetHumidity`, `target_humidity` and `sensor.targetHumidity` as words: "Target humidity", "Sensor: target humidity". */
export function inWords(key: string): string {
  const words = key
    .split(".")
    .map((part) =>
      part
        .replaceAll(/[_-]+/g, " ")
        .replaceAll(
          /([a-z\d])([A-Z])(?![A-Z])/g,
          (_, before: string, capital: string) => `${before} ${capital.toLowerCase()}`,
        )
        .trim(),
    )
    .filter((part) => part !== "")
    .join(": ");
  return words === "" ? key : words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

/** One of the words that a state can be, such as `fan_only`: what it means, or the words that it is made of. */
export function choiceWord(value: string): string {
  return keyedText(`choice.${value}`, /^[a-z]+(_[a-z]+)+$/.test(value) ? inWords(value) : value);
}

/** A measured number with as many digits as mean something: 1,184, 41.5, 0.25. */
export function amount(value: number): string {
  const size = Math.abs(value);
  return number(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A value of a device's state in words. */
export function measured(key: string, value: unknown): string {
  if (typeof value === "number") return withUnit(amount(value), unitOf(key));
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
