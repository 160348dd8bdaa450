/**
 * Bluetooth devices behind a Shelly gateway: BTHome object ids to the hub's words. Sources:
 * https://bthome.io/format/ and https://shelly-api-docs.shelly.cloud/gen2/DynamicComponents/BTHome/.
 */
import type { Tag } from "./learned.ts";

/** A BTHome value: a measured number, or a boolean. */
interface Meaning {
  readonly word: string;
  /** Multiplied with the number. */
  readonly factor?: number;
  /** A boolean; `false` where the hub's word means the opposite. */
  readonly flag?: boolean;
}

const MEANINGS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [0x01, { word: "battery" }],
  [0x02, { word: "temperature" }],
  [0x45, { word: "temperature" }],
  [0x57, { word: "temperature" }],
  [0x03, { word: "humidity" }],
  [0x2e, { word: "humidity" }],
  [0x04, { word: "pressure" }],
  [0x05, { word: "illuminance" }],
  [0x0d, { word: "pm25" }],
  [0x12, { word: "co2" }],
  [0x0c, { word: "voltage" }],
  [0x4a, { word: "voltage" }],
  [0x3f, { word: "rotation" }],
  [0x40, { word: "distance", factor: 0.001 }],
  [0x41, { word: "distance" }],
  [0x11, { word: "contact", flag: false }],
  [0x1a, { word: "contact", flag: false }],
  [0x1b, { word: "contact", flag: false }],
  [0x2d, { word: "contact", flag: false }],
  [0x20, { word: "leak", flag: true }],
  [0x21, { word: "motion", flag: true }],
  [0x22, { word: "moving", flag: true }],
  [0x23, { word: "occupancy", flag: true }],
  [0x1c, { word: "gas", flag: true }],
  [0x29, { word: "smoke", flag: true }],
  [0x2b, { word: "tamper", flag: true }],
  [0x2c, { word: "vibration", flag: true }],
]);

/** A value of a Bluetooth device in the hub's words; null for an unknown one. */
export function meaningOf(
  tag: Tag,
  sensorId: number,
  value: unknown,
): { readonly word: string; readonly value: number | boolean } | null {
  const sensor = tag.sensors.get(sensorId);
  const meaning = sensor === undefined ? undefined : MEANINGS.get(sensor.object);
  if (sensor === undefined || meaning === undefined) return null;
  const word = sensor.index > 0 ? `${meaning.word}${sensor.index + 1}` : meaning.word;
  if (meaning.flag !== undefined) return typeof value === "boolean" ? { word, value: value === meaning.flag } : null;
  return typeof value === "number" && Number.isFinite(value)
    ? { word, value: Math.round(value * (meaning.factor ?? 1) * 1000) / 1000 }
    : null;
}
