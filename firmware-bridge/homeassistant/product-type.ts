/** The hub's product type of a device, from its components' suggestions. */
import type { Component } from "./component.ts";

/** Types that take precedence, in this order. */
const FIRST: readonly string[] = ["sentinel", "lock", "gate", "thermostat", "cover", "vacuum", "lawn-mower", "valve"];

/** The product type; `metrics` are the device's. */
export function typeOf(components: readonly Component[], metrics: readonly string[]): string {
  const suggestions = new Set(components.flatMap(({ suggests }) => suggests ?? []));
  const first = FIRST.find((type) => suggestions.has(type));
  if (first !== undefined) return first;
  const outputs = components.filter(({ isOutput }) => isOutput);
  if (outputs.length > 1) return "home-hub";
  const [output] = outputs;
  if (output?.suggests === "switch")
    return metrics.some((name) => name === "watts" || name === "kwh") ? "smart-plug" : "switch";
  if (output?.suggests) return output.suggests;
  return suggestions.has("energy-meter") ? "energy-meter" : "sensor";
}
