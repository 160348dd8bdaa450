/** Lights of the default schema: a topic for each thing. The other schemas are dispatched from here. */
import { hexOfRgb, hueSaturationOfRgb, type Rgb, rgbOfHueSaturation, rgbOfXy, xyOfRgb } from "../../colours.ts";
import type { Outgoing } from "../../family.ts";
import { numberOf, rescale, textOf } from "../../json-values.ts";
import {
  type Carried,
  type Component,
  carried,
  component,
  type Input,
  input,
  type Naming,
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
import { jsonLight } from "./light-json.ts";
import { templateLight } from "./light-template.ts";

/** A light of any schema. */
export function light(naming: Naming, config: Config): Component {
  const schema = config.text("schema") ?? "default";
  if (schema === "json") return jsonLight(naming, config);
  return schema === "template" ? templateLight(naming, config) : basicLight(naming, config);
}

type Send = (value: string | number, variables?: Readonly<Record<string, unknown>>) => Outgoing | null;

interface Sends {
  readonly power: Send | null;
  readonly brightness: Send | null;
  readonly rgb: Send | null;
  readonly rgbw: Send | null;
  readonly rgbww: Send | null;
  readonly hs: Send | null;
  readonly xy: Send | null;
  readonly temperature: Send | null;
  readonly effect: Send | null;
  readonly white: Send | null;
}

function basicLight(naming: Naming, config: Config): Component {
  const send = sendsOf(new Sender(config));
  const can: Abilities = {
    brightness: send.brightness !== null,
    color: [send.rgb, send.rgbw, send.rgbww, send.hs, send.xy].some((one) => one !== null),
    colorTemperature: send.temperature !== null,
    effects: send.effect === null ? [] : config.list("effect_list"),
    white: send.white !== null,
  };
  const inputs = inputsOf(config);
  const tellsPower = config.has("state_topic");
  return component(naming, {
    isOutput: true,
    words: lightFields(naming, can),
    inputs,
    takes: lightTakes(naming, can, config),
    alsoTakes: ["transition"],
    rawTopic: config.topic("command_topic"),
    suggests: can.brightness ? "dimmer" : "light",
    command: (values): Carried => {
      const wish = wishOf(values, can);
      if (typeof wish === "string") return { unsupported: wish };
      const expects = tellsPower
        ? config.has("brightness_state_topic")
          ? expectedOf(wish)
          : { power: wish.power }
        : null;
      return carried(messages(wish, send, config), expects);
    },
  });
}

function sendsOf(sender: Sender): Sends {
  const to = (name: string): Send | null => sender.to(`${name}_command_topic`, `${name}_command_template`);
  return {
    power: sender.to("command_topic", "command_template"),
    brightness: to("brightness"),
    rgb: to("rgb"),
    rgbw: to("rgbw"),
    rgbww: to("rgbww"),
    hs: to("hs"),
    xy: to("xy"),
    temperature: to("color_temp"),
    effect: to("effect"),
    white: to("white"),
  };
}

/** In the order that `on_command_type` asks for. */
function messages(wish: Wish, send: Sends, config: Config): (Outgoing | null)[] {
  const [on, off] = [config.payload("payload_on", "ON"), config.payload("payload_off", "OFF")];
  if (!wish.power) return [send.power?.(off) ?? null];
  const details = detailsOf(wish, send, config);
  const power = send.power?.(on) ?? null;
  const order = config.text("on_command_type") ?? "last";
  if (order === "brightness" && send.brightness !== null) {
    if (wish.brightness !== undefined) return details;
    return [send.brightness(scaleOf(config)), ...details];
  }
  return order === "first" ? [power, ...details] : [...details, power];
}

function scaleOf(config: Config): number {
  const scale = config.number("brightness_scale") ?? 255;
  return scale > 0 ? scale : 255;
}

function detailsOf(wish: Wish, send: Sends, config: Config): (Outgoing | null)[] {
  const details: (Outgoing | null)[] = [];
  if (wish.color !== undefined) details.push(coloured(wish.color, send));
  if (wish.kelvin !== undefined && send.temperature)
    details.push(send.temperature(lampTemperature(wish.kelvin, config)));
  if (wish.effect !== undefined && send.effect) details.push(send.effect(wish.effect));
  if (wish.white !== undefined && send.white)
    details.push(send.white(rescale(wish.white, 100, config.number("white_scale") ?? 255)));
  if (wish.brightness !== undefined && send.brightness)
    details.push(send.brightness(rescale(wish.brightness, 100, scaleOf(config))));
  return details;
}

function coloured(rgb: Rgb, send: Sends): Outgoing | null {
  const [red, green, blue] = rgb;
  if (send.rgb) return send.rgb(rgb.join(","), { red, green, blue });
  if (send.rgbw) return send.rgbw([...rgb, 0].join(","), { red, green, blue, white: 0 });
  if (send.rgbww) return send.rgbww([...rgb, 0, 0].join(","), { red, green, blue, cold_white: 0, warm_white: 0 });
  if (send.hs) {
    const { hue, saturation } = hueSaturationOfRgb(rgb);
    return send.hs(`${hue},${saturation}`, { hue, sat: saturation });
  }
  const { x, y } = xyOfRgb(rgb);
  return send.xy?.(`${x},${y}`, { x, y }) ?? null;
}

function inputsOf(config: Config): Input[] {
  const [on, off] = [config.payload("payload_on", "ON"), config.payload("payload_off", "OFF")];
  const template = config.has("state_value_template") ? "state_value_template" : "value_template";
  const colours = (
    text: string,
    make: (parts: readonly number[]) => Rgb | null,
  ): { word: string; value: unknown }[] => {
    const parts = text.split(",").map((part) => numberOf(part));
    const rgb = parts.some((part) => part === null) ? null : make(parts.map((part) => part ?? 0));
    return rgb === null ? [] : [{ word: "color", value: hexOfRgb(rgb) }];
  };
  const direct = ([red, green, blue]: readonly number[]): Rgb | null =>
    red === undefined || green === undefined || blue === undefined ? null : [red, green, blue];
  const of = (name: string): { topic: string; template: string } => ({
    topic: `${name}_state_topic`,
    template: `${name}_value_template`,
  });
  return [
    ...input(config, { topic: "state_topic", template }, ({ text }) =>
      says(text, on) ? [{ word: "power", value: true }] : says(text, off) ? [{ word: "power", value: false }] : [],
    ),
    ...input(config, of("brightness"), ({ text }) => {
      const value = percentOf(numberOf(text), scaleOf(config));
      return value === null ? [] : [{ word: "brightness", value }];
    }),
    ...["rgb", "rgbw", "rgbww"].flatMap((name) => input(config, of(name), ({ text }) => colours(text, direct))),
    ...input(config, of("hs"), ({ text }) =>
      colours(text, ([hue, sat]) => (hue === undefined || sat === undefined ? null : rgbOfHueSaturation(hue, sat))),
    ),
    ...input(config, of("xy"), ({ text }) =>
      colours(text, ([x, y]) => (x === undefined || y === undefined ? null : rgbOfXy(x, y))),
    ),
    ...input(config, of("color_temp"), ({ text }) => {
      const value = kelvinOf(numberOf(text), config);
      return value === null ? [] : [{ word: "colorTemperature", value }];
    }),
    ...input(config, of("effect"), ({ text }) => [{ word: "effect", value: textOf(text, 64) }]),
  ];
}
