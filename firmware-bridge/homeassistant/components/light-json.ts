/** Lights of the JSON schema: one object in both directions. ESPHome and many others use it. */
import { isJsonObject, type JsonObject } from "../../../src/core/kernel/json-object.ts";
import { hexOfRgb, hueSaturationOfRgb, type Rgb, rgbOfHueSaturation, rgbOfXy, xyOfRgb } from "../../colours.ts";
import { member, numberOf, rescale, textOf } from "../../json-values.ts";
import { type Component, carried, component, type DecodedValue, input, type Naming, Sender } from "../component.ts";
import type { Config } from "../config.ts";
import {
  type Abilities,
  expectedOf,
  kelvinOf,
  lampTemperature,
  lightFields,
  lightTakes,
  percentOf,
  type Wish,
  wishOf,
} from "./light-fields.ts";

const COLOUR_MODES: readonly string[] = ["rgb", "rgbw", "rgbww", "hs", "xy"];

/** A light of the JSON schema. */
export function jsonLight(naming: Naming, config: Config): Component {
  const modes = modesOf(config);
  const colourMode = COLOUR_MODES.find((mode) => modes.has(mode)) ?? null;
  const can: Abilities = {
    brightness: config.flag("brightness") === true || [...modes].some((mode) => mode !== "onoff"),
    color: colourMode !== null,
    colorTemperature: modes.has("color_temp"),
    effects: config.flag("effect") === true || config.has("effect_list") ? config.list("effect_list") : [],
    white: modes.has("white"),
  };
  const scale = config.number("brightness_scale") ?? 255;
  const inputs = input(config, { topic: "state_topic", template: "value_template" }, ({ value }, received) => {
    const state = isJsonObject(value) ? value : received.json;
    return isJsonObject(state) ? decoded(state, { can, scale, config }) : [];
  });
  const topic = config.topic("command_topic");
  const sender = new Sender(config);
  return component(naming, {
    isOutput: true,
    words: lightFields(naming, can),
    inputs,
    takes: topic === null ? {} : lightTakes(naming, can, config),
    alsoTakes: ["transition", "flash"],
    rawTopic: topic,
    suggests: can.brightness ? "dimmer" : "light",
    command: (values) => {
      const wish = wishOf(values, can);
      if (typeof wish === "string" || topic === null)
        return { unsupported: typeof wish === "string" ? wish : "the light takes no commands" };
      return carried(
        [sender.message(topic, JSON.stringify(payloadOf(wish, { colourMode, scale, config })))],
        inputs.length > 0 ? expectedOf(wish) : null,
      );
    },
  });
}

/** Colour modes: as listed, or from the flags of older publishers. */
function modesOf(config: Config): ReadonlySet<string> {
  const listed = config.list("supported_color_modes");
  if (listed.length > 0) return new Set(listed);
  const old = ["rgb", "hs", "xy", "color_temp"].filter((mode) => config.flag(mode) === true);
  return new Set(old);
}

function decoded(
  state: JsonObject,
  { can, scale, config }: { can: Abilities; scale: number; config: Config },
): DecodedValue[] {
  const result: DecodedValue[] = [];
  const power = textOf(state.state, 16)?.toUpperCase();
  if (power === "ON" || power === "OFF") result.push({ word: "power", value: power === "ON" });
  const brightness = percentOf(numberOf(state.brightness), scale);
  if (can.brightness && brightness !== null) result.push({ word: "brightness", value: brightness });
  const mode = textOf(state.color_mode, 16);
  const rgb = can.color && (mode === null || COLOUR_MODES.includes(mode)) ? colourIn(state.color) : null;
  if (rgb !== null) result.push({ word: "color", value: hexOfRgb(rgb) });
  const kelvin =
    can.colorTemperature && (mode === null || mode === "color_temp")
      ? kelvinOf(numberOf(state.color_temp), config)
      : null;
  if (kelvin !== null) result.push({ word: "colorTemperature", value: kelvin });
  if (can.effects.length > 0 && state.effect !== undefined)
    result.push({ word: "effect", value: textOf(state.effect, 64) });
  if (can.white && mode === "white" && brightness !== null) result.push({ word: "white", value: brightness });
  return result;
}

function colourIn(colour: unknown): Rgb | null {
  const number = (key: string): number | null => numberOf(member(colour, key));
  const [red, green, blue] = [number("r"), number("g"), number("b")];
  if (red !== null && green !== null && blue !== null) return [red, green, blue];
  const [hue, saturation] = [number("h"), number("s")];
  if (hue !== null && saturation !== null) return rgbOfHueSaturation(hue, saturation);
  const [x, y] = [number("x"), number("y")];
  return x !== null && y !== null ? rgbOfXy(x, y) : null;
}

function payloadOf(
  wish: Wish,
  { colourMode, scale, config }: { colourMode: string | null; scale: number; config: Config },
): JsonObject {
  const payload: JsonObject = { state: wish.power ? "ON" : "OFF" };
  if (wish.transition !== undefined) payload.transition = wish.transition;
  if (!wish.power) return payload;
  if (wish.brightness !== undefined) payload.brightness = rescale(wish.brightness, 100, scale);
  if (wish.color !== undefined && colourMode !== null) payload.color = colourFor(wish.color, colourMode);
  if (wish.kelvin !== undefined) payload.color_temp = lampTemperature(wish.kelvin, config);
  if (wish.effect !== undefined) payload.effect = wish.effect;
  if (wish.white !== undefined) payload.white = rescale(wish.white, 100, config.number("white_scale") ?? 255);
  if (wish.flash !== undefined)
    payload.flash =
      config.number(wish.flash === "long" ? "flash_time_long" : "flash_time_short") ?? (wish.flash === "long" ? 10 : 2);
  return payload;
}

function colourFor(rgb: Rgb, mode: string): JsonObject {
  const [r, g, b] = rgb;
  if (mode === "hs") {
    const { hue, saturation } = hueSaturationOfRgb(rgb);
    return { h: hue, s: saturation };
  }
  if (mode === "xy") return { ...xyOfRgb(rgb) };
  return mode === "rgbw" ? { r, g, b, w: 0 } : mode === "rgbww" ? { r, g, b, c: 0, w: 0 } : { r, g, b };
}
