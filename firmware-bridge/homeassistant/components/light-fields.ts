/** The shared parts of lights of all three schemas: words, capabilities, and parsing commands. */
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { type Rgb, reciprocalMegakelvin, rgbOfHex } from "../../colours.ts";
import { booleanOf, clamp, numberOf, rescale, textOf } from "../../json-values.ts";
import { type Naming, stateWord, type Word } from "../component.ts";
import type { Config } from "../config.ts";

/** What a light can do. */
export interface Abilities {
  readonly brightness: boolean;
  readonly color: boolean;
  readonly colorTemperature: boolean;
  readonly effects: readonly string[];
  readonly white: boolean;
}

/** A command's requests for a light; undefined for members it does not mention. */
export interface Wish {
  readonly power: boolean;
  /** 0–100. */
  readonly brightness?: number;
  readonly color?: Rgb;
  readonly kelvin?: number;
  readonly effect?: string;
  readonly white?: number;
  /** Seconds. */
  readonly transition?: number;
  readonly flash?: string;
}

/** The words of a light with these abilities. */
export function lightFields(naming: Naming, can: Abilities): Word[] {
  const names = ["power"];
  if (can.brightness) names.push("brightness");
  if (can.color) names.push("color");
  if (can.colorTemperature) names.push("colorTemperature");
  if (can.effects.length > 0) names.push("effect");
  if (can.white) names.push("white");
  return names.map((name) => stateWord(name, naming.own));
}

/** Schemas of a light's commands. */
export function lightTakes(naming: Naming, can: Abilities, config: Config): Record<string, JsonObject> {
  const [coolest, warmest] = kelvinRange(config);
  return {
    power: { type: "boolean", title: naming.label },
    ...(can.brightness ? { brightness: { type: "integer", minimum: 0, maximum: 100 } } : {}),
    ...(can.color ? { color: { type: "string", pattern: "^#[0-9a-fA-F]{6}$" } } : {}),
    ...(can.colorTemperature ? { colorTemperature: { type: "integer", minimum: warmest, maximum: coolest } } : {}),
    ...(can.effects.length > 0 ? { effect: { type: "string", enum: can.effects } } : {}),
    ...(can.white ? { white: { type: "integer", minimum: 0, maximum: 100 } } : {}),
  };
}

/** Highest and lowest colour temperature in kelvin; Home Assistant's own bounds where none are given. */
function kelvinRange(config: Config): readonly [coolest: number, warmest: number] {
  const coolest = config.number("max_kelvin") ?? reciprocalMegakelvin(config.number("min_mireds") ?? 153) ?? 6536;
  const warmest = config.number("min_kelvin") ?? reciprocalMegakelvin(config.number("max_mireds") ?? 500) ?? 2000;
  return coolest > warmest ? [coolest, warmest] : [warmest, coolest];
}

/** The lamp's number for a colour temperature: mired, or kelvin if it counts in that. */
export function lampTemperature(kelvin: number, config: Config): number {
  const [coolest, warmest] = kelvinRange(config);
  const within = clamp(Math.round(kelvin), warmest, coolest);
  return config.flag("color_temp_kelvin") === true ? within : (reciprocalMegakelvin(within) ?? 370);
}

/** Kelvin from the lamp's number. */
export function kelvinOf(value: number | null, config: Config): number | null {
  if (value === null || value <= 0) return null;
  return config.flag("color_temp_kelvin") === true ? Math.round(value) : reciprocalMegakelvin(value);
}

/** Reads a command; a text result is the reason for refusal. */
export function wishOf(values: JsonObject, can: Abilities): Wish | string {
  const wish: { -readonly [Key in keyof Wish]: Wish[Key] } = { power: true };
  for (const [key, value] of Object.entries(values)) {
    const problem = add(wish, { key, value }, can);
    if (problem !== null) return problem;
  }
  if (wish.brightness === 0) {
    wish.power = false;
    delete wish.brightness;
  }
  return wish;
}

function add(
  wish: { -readonly [Key in keyof Wish]: Wish[Key] },
  { key, value }: { key: string; value: unknown },
  can: Abilities,
): string | null {
  const number = numberOf(value);
  if (key === "power") {
    const power = booleanOf(value);
    if (power === null) return "power takes true or false";
    wish.power = power;
  } else if (key === "brightness" || key === "white") {
    if (number === null || number < 0 || number > 100) return `${key} takes a number from 0 to 100`;
    wish[key] = Math.round(number);
  } else if (key === "color") {
    const rgb = rgbOfHex(value);
    if (rgb === null) return 'color takes "#rrggbb"';
    wish.color = rgb;
  } else if (key === "colorTemperature") {
    if (number === null || number < 1000 || number > 20_000) return "colorTemperature takes kelvin";
    wish.kelvin = number;
  } else if (key === "effect") {
    const effect = textOf(value, 64);
    if (effect === null || !can.effects.includes(effect))
      return `effect is one of ${can.effects.slice(0, 12).join(", ")}`;
    wish.effect = effect;
  } else if (key === "transition") {
    if (number === null || number < 0 || number > 3600) return "transition takes seconds";
    wish.transition = number;
  } else if (key === "flash") wish.flash = value === "long" ? "long" : "short";
  return null;
}

/** The state that proves that a command was carried out. */
export function expectedOf(wish: Wish): JsonObject {
  return { power: wish.power, ...(wish.power && wish.brightness !== undefined ? { brightness: wish.brightness } : {}) };
}

/** Brightness of the hub, 0–100, from the lamp's scale. */
export function percentOf(value: number | null, scale: number): number | null {
  return value === null || value < 0 ? null : rescale(value, scale, 100);
}
