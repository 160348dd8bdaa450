/** Lights of the template schema: the announcement defines the payload's form in both directions. */
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { hexOfRgb, hueSaturationOfRgb } from "../../colours.ts";
import { numberOf, rescale, textOf } from "../../json-values.ts";
import {
  type Component,
  carried,
  component,
  type DecodedValue,
  type Input,
  type Naming,
  type Received,
  Sender,
  says,
} from "../component.ts";
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

/** A light of the template schema. */
export function templateLight(naming: Naming, config: Config): Component {
  const has = (name: string): boolean => config.has(`${name}_template`);
  const can: Abilities = {
    brightness: has("brightness"),
    color: has("red") && has("green") && has("blue"),
    colorTemperature: has("color_temp"),
    effects: has("effect") || config.has("effect_list") ? config.list("effect_list") : [],
    white: false,
  };
  const sender = new Sender(config);
  const sendOn = sender.to("command_topic", "command_on_template");
  const sendOff = sender.to("command_topic", "command_off_template");
  const inputs = inputsOf(config, can);
  return component(naming, {
    isOutput: true,
    words: lightFields(naming, can),
    inputs,
    takes: lightTakes(naming, can, config),
    alsoTakes: ["transition", "flash"],
    rawTopic: config.topic("command_topic"),
    suggests: can.brightness ? "dimmer" : "light",
    command: (values) => {
      const wish = wishOf(values, can);
      if (typeof wish === "string") return { unsupported: wish };
      const send = wish.power ? sendOn : sendOff;
      return carried(
        [send?.(wish.power ? "on" : "off", variablesOf(wish, config)) ?? null],
        inputs.length > 0 && has("state") ? expectedOf(wish) : null,
      );
    },
  });
}

/** Only what the command mentions is defined: templates check for that. */
function variablesOf(wish: Wish, config: Config): JsonObject {
  const variables: JsonObject = { state: wish.power ? "on" : "off" };
  if (wish.brightness !== undefined) variables.brightness = rescale(wish.brightness, 100, 255);
  if (wish.kelvin !== undefined) variables.color_temp = lampTemperature(wish.kelvin, config);
  if (wish.color !== undefined) {
    const { hue, saturation } = hueSaturationOfRgb(wish.color);
    Object.assign(variables, { red: wish.color[0], green: wish.color[1], blue: wish.color[2], hue, sat: saturation });
  }
  if (wish.effect !== undefined) variables.effect = wish.effect;
  if (wish.transition !== undefined) variables.transition = wish.transition;
  if (wish.flash !== undefined) variables.flash = wish.flash;
  return variables;
}

function inputsOf(config: Config, can: Abilities): Input[] {
  const topic = config.topic("state_topic");
  if (topic === null) return [];
  const templates = Object.fromEntries(
    ["state", "brightness", "red", "green", "blue", "color_temp", "effect"].map((name) => [
      name,
      config.template(`${name}_template`),
    ]),
  );
  const through = (received: Received, name: string): string | null => {
    const template = templates[name];
    return template ? (received.through(template)?.text ?? null) : null;
  };
  const read = (received: Received): DecodedValue[] => {
    const values: DecodedValue[] = [];
    const number = (name: string): number | null => numberOf(through(received, name));
    const power = through(received, "state");
    if (power !== null && (says(power, "on") || says(power, "off")))
      values.push({ word: "power", value: says(power, "on") });
    const brightness = percentOf(number("brightness"), 255);
    if (brightness !== null) values.push({ word: "brightness", value: brightness });
    const [red, green, blue] = can.color ? [number("red"), number("green"), number("blue")] : [null, null, null];
    if (red !== null && green !== null && blue !== null)
      values.push({ word: "color", value: hexOfRgb([red, green, blue]) });
    const kelvin = kelvinOf(number("color_temp"), config);
    if (kelvin !== null) values.push({ word: "colorTemperature", value: kelvin });
    const effect = can.effects.length > 0 ? textOf(through(received, "effect"), 64) : null;
    if (effect !== null) values.push({ word: "effect", value: effect });
    return values;
  };
  return [{ topic, read }];
}
