/**
 * Light effects of Gen1 lamps by number. Source: https://shelly-api-docs.shelly.cloud/gen1/, /settings of Shelly Bulb
 * and RGBW2.
 */

const RGBW2: readonly string[] = ["off", "meteor shower", "gradual change", "flash"];
const BULB: readonly string[] = [
  "off",
  "meteor shower",
  "gradual change",
  "breath",
  "flash",
  "on/off gradual",
  "red/green change",
];

function table(model: string | null): readonly string[] {
  return model === "SHRGBW2" ? RGBW2 : BULB;
}

/** The name of an effect; beyond the table its number as text. */
export function effectName(model: string | null, number: number): string {
  return table(model)[number] ?? String(number);
}

/** The number of an effect given by name or number; null for unknown ones. */
export function effectNumber(model: string | null, value: unknown): number | null {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value <= 20 ? value : null;
  const index = typeof value === "string" ? table(model).indexOf(value.toLowerCase()) : -1;
  return index === -1 ? null : index;
}
