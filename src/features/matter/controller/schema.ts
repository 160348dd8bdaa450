import { reciprocalMegakelvin } from "../../../../firmware-bridge/colours.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { EndpointView, Unit } from "./node-view.ts";
import { fanSpeeds, hasFeature, numberIn, setpointOf, switches } from "./state.ts";

/** JSON schema of the commands that a unit takes; null where it takes none. */
export function schemaOf(unit: Unit): JsonObject | null {
  const outputs = switches(unit);
  const properties: JsonObject = {};
  if (outputs.length > 1) {
    properties.ch = { type: "integer", minimum: 1, maximum: outputs.length };
    properties.on = { type: "boolean" };
  }
  for (const endpoint of unit.endpoints)
    Object.assign(properties, outputs.length > 1 && outputs.includes(endpoint) ? {} : ofEndpoint(endpoint));
  return Object.keys(properties).length === 0 ? null : { type: "object", properties };
}

function ofEndpoint(endpoint: EndpointView): JsonObject {
  const has = (name: keyof EndpointView["values"]): boolean => Object.hasOwn(endpoint.values, name);
  const percent = { type: "integer", minimum: 0, maximum: 100 };
  const properties: JsonObject = {};
  if (has("onOff") || has("valve")) properties.power = { type: "boolean" };
  if (has("level")) properties.brightness = percent;
  if (hasFeature(endpoint, "colorFeatures", "hueSaturation") || hasFeature(endpoint, "colorFeatures", "xy"))
    properties.color = { type: "string", pattern: "^#[0-9a-fA-F]{6}$" };
  if (hasFeature(endpoint, "colorFeatures", "colorTemperature")) {
    const { least, most } = kelvins(endpoint);
    properties.colorTemperature = { type: "integer", minimum: least, maximum: most, multipleOf: 50 };
  }
  if (has("lift") || has("covering")) {
    properties.position = percent;
    properties.stop = { type: "boolean", enum: [true] };
  }
  if (has("tilt")) properties.tilt = percent;
  if (has("lockState")) properties.locked = { type: "boolean" };
  if (has("systemMode")) {
    const { least, most } = targets(endpoint);
    properties.target = { type: "number", minimum: least, maximum: most, multipleOf: 0.5 };
    properties.mode = { enum: modes(endpoint) };
  }
  if (has("fanMode")) {
    properties.power = { type: "boolean" };
    properties.speed = { type: "integer", minimum: 0, maximum: fanSpeeds(endpoint) };
  }
  return properties;
}

/** Colour temperatures that a lamp can show, in kelvin, rounded to 50. */
export function kelvins(endpoint: EndpointView): { readonly least: number; readonly most: number } {
  const [shortest, longest] = [numberIn(endpoint, "leastMireds") ?? 153, numberIn(endpoint, "mostMireds") ?? 500];
  const least = reciprocalMegakelvin(Math.min(longest, 1_000)) ?? 2_000;
  const most = reciprocalMegakelvin(Math.max(shortest, 50)) ?? 6_500;
  return least < most
    ? { least: Math.ceil(least / 50) * 50, most: Math.floor(most / 50) * 50 }
    : { least: 2_000, most: 6_500 };
}

/** Targets that a thermostat takes in its current mode, °C. */
export function targets(endpoint: EndpointView): { readonly least: number; readonly most: number } {
  const cools = setpointOf(endpoint) === "cooling";
  const least = (numberIn(endpoint, cools ? "leastCooling" : "leastHeating") ?? (cools ? 1_600 : 700)) / 100;
  const most = (numberIn(endpoint, cools ? "mostCooling" : "mostHeating") ?? (cools ? 3_200 : 3_000)) / 100;
  return least < most ? { least, most } : { least: 5, most: 35 };
}

/** Modes that a thermostat takes. */
export function modes(endpoint: EndpointView): string[] {
  const [heats, cools] = [
    hasFeature(endpoint, "thermostatFeatures", "heating"),
    hasFeature(endpoint, "thermostatFeatures", "cooling"),
  ];
  const isAuto = hasFeature(endpoint, "thermostatFeatures", "autoMode");
  return ["off", ...(heats ? ["heat"] : []), ...(cools ? ["cool"] : []), ...(isAuto ? ["auto"] : [])];
}
