import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { hexOfRgb } from "../colours.ts";
import { booleanOf, jsonOf, member, numberOf, rescale, rounded, textOf } from "../json-values.ts";
import { effectName } from "./lamp-effects.ts";
import type { Learned } from "./learned.ts";
import type { PartKind } from "./models.ts";
import { percent, type Read } from "./reading.ts";

/** A lamp that reports on or off. */
export function lamp(kind: PartKind): Read {
  return (device, { index, text }) =>
    text === "on" || text === "off" ? { state: { [device.word("power", kind, index)]: text === "on" } } : null;
}

/** Everything about a lamp in one JSON object. */
export function lampStatus(kind: PartKind): Read {
  return (device, { index, text }) => {
    const status = jsonOf(text);
    if (!isJsonObject(status)) return null;
    const word = (name: string): string => device.word(name, kind, index);
    const state: JsonObject = {};
    const ison = booleanOf(member(status, "ison"));
    if (ison !== null) state[word("power")] = ison;
    const mode = kind === "color" ? (textOf(member(status, "mode"), 16) ?? "color") : "white";
    const brightness = percent(member(status, mode === "color" ? "gain" : "brightness"));
    if (brightness !== null) state[word("brightness")] = brightness;
    if (kind === "color") Object.assign(state, colours(status, mode, device));
    else {
      const kelvin = numberOf(member(status, "temp"));
      if (kelvin !== null && kelvin >= 1000) state.colorTemperature = Math.round(kelvin);
    }
    const watts = numberOf(member(status, "power"));
    return { state, ...(watts === null ? {} : { data: { [word("watts")]: rounded(watts, 2) } }) };
  };
}

function colours(status: JsonObject, mode: string, device: Learned): JsonObject {
  const state: JsonObject = {};
  const [red, green, blue] = ["red", "green", "blue"].map((name) => numberOf(member(status, name)));
  if (typeof red === "number" && typeof green === "number" && typeof blue === "number")
    state.color = hexOfRgb([red, green, blue]);
  const white = numberOf(member(status, "white"));
  if (white !== null) state.white = rescale(white, 255, 100);
  const kelvin = numberOf(member(status, "temp"));
  if (kelvin !== null && kelvin >= 1000) state.colorTemperature = Math.round(kelvin);
  const effect = numberOf(member(status, "effect"));
  if (effect !== null) state.effect = effectName(device.model, effect);
  if (member(status, "mode") !== undefined) state.colorMode = mode === "color" ? "color" : "white";
  return state;
}
