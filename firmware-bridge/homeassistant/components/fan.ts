/** Fans: on and off, speed, direction, oscillation, presets. */
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import type { Outgoing } from "../../family.ts";
import { booleanOf, clamp, numberOf, textOf } from "../../json-values.ts";
import {
  type Carried,
  type Component,
  carried,
  component,
  input,
  type Naming,
  Sender,
  says,
  stateWord,
} from "../component.ts";
import type { Config } from "../config.ts";

/** More steps than this are percent: the hub shows five speeds, and the exact value as `percentage`. */
const MOST_STEPS = 10;
const SHOWN_SPEEDS = 5;

/** How a fan counts its speeds. */
class Speeds {
  readonly #least: number;
  readonly #count: number;

  constructor(config: Config) {
    const least = config.number("speed_range_min") ?? 1;
    const most = config.number("speed_range_max") ?? 100;
    this.#least = least;
    this.#count = Math.max(1, Math.round(most - least + 1));
  }

  /** Highest speed that the hub counts. */
  get top(): number {
    return this.#count <= MOST_STEPS ? this.#count : SHOWN_SPEEDS;
  }

  get isPercent(): boolean {
    return this.#count > MOST_STEPS;
  }

  /** The fan's own number for a speed of the hub; 0 is off everywhere. */
  own(speed: number): number {
    if (speed <= 0) return 0;
    const step = this.isPercent ? Math.round((speed / SHOWN_SPEEDS) * this.#count) : Math.round(speed);
    return this.#least - 1 + clamp(step, 1, this.#count);
  }

  ownOfPercent(percent: number): number {
    return percent <= 0 ? 0 : this.#least - 1 + clamp(Math.ceil((percent / 100) * this.#count), 1, this.#count);
  }

  /** Speed and percentage for the fan's own number. */
  shown(own: number): { readonly speed: number; readonly percentage: number } {
    const step = clamp(own - (this.#least - 1), 0, this.#count);
    const percentage = Math.round((step / this.#count) * 100);
    return {
      speed: this.isPercent ? (step > 0 ? Math.max(1, Math.round((step / this.#count) * SHOWN_SPEEDS)) : 0) : step,
      percentage,
    };
  }
}

/** A fan. */
export function fan(naming: Naming, config: Config): Component {
  const speeds = new Speeds(config);
  const hasSpeed = config.has("percentage_command_topic");
  const presets = config.list("preset_modes");
  const [swings, turns] = [config.has("oscillation_command_topic"), config.has("direction_command_topic")];
  const words = ["power"];
  if (hasSpeed || config.has("percentage_state_topic"))
    words.push("speed", ...(speeds.isPercent ? ["percentage"] : []));
  if (swings) words.push("oscillating");
  if (turns) words.push("direction");
  if (presets.length > 0) words.push("preset");
  return component(naming, {
    isOutput: true,
    words: words.map((word) => stateWord(word, naming.own)),
    inputs: inputsOf(config, speeds),
    takes: {
      power: { type: "boolean", title: naming.label },
      ...(hasSpeed ? { speed: { type: "integer", minimum: 0, maximum: speeds.top } } : {}),
      ...(swings ? { oscillating: { type: "boolean" } } : {}),
      ...(turns ? { direction: { type: "string", enum: ["forward", "reverse"] } } : {}),
      ...(presets.length > 0 ? { preset: { type: "string", enum: presets } } : {}),
    },
    alsoTakes: hasSpeed ? ["percentage"] : [],
    rawTopic: config.topic("command_topic"),
    suggests: "fan",
    command: fanCommand(config, speeds, presets),
  });
}

function inputsOf(config: Config, speeds: Speeds) {
  const payload = (name: string, otherwise: string): string => config.payload(name, otherwise);
  const template = config.has("state_value_template") ? "state_value_template" : "value_template";
  return [
    ...input(config, { topic: "state_topic", template }, ({ text }) =>
      says(text, payload("payload_on", "ON"))
        ? [{ word: "power", value: true }]
        : says(text, payload("payload_off", "OFF"))
          ? [{ word: "power", value: false }]
          : [],
    ),
    ...input(config, { topic: "percentage_state_topic", template: "percentage_value_template" }, ({ text }) => {
      const own = text === payload("payload_reset_percentage", "None") ? 0 : numberOf(text);
      if (own === null) return [];
      const { speed, percentage } = speeds.shown(own);
      return [
        { word: "speed", value: speed },
        ...(speeds.isPercent ? [{ word: "percentage", value: percentage }] : []),
      ];
    }),
    ...input(config, { topic: "oscillation_state_topic", template: "oscillation_value_template" }, ({ text }) => [
      { word: "oscillating", value: says(text, payload("payload_oscillation_on", "oscillate_on")) },
    ]),
    ...input(config, { topic: "direction_state_topic", template: "direction_value_template" }, ({ text }) => [
      { word: "direction", value: says(text, payload("payload_direction_reverse", "reverse")) ? "reverse" : "forward" },
    ]),
    ...input(config, { topic: "preset_mode_state_topic", template: "preset_mode_value_template" }, ({ text }) => [
      { word: "preset", value: text === payload("payload_reset_preset_mode", "None") ? null : textOf(text, 64) },
    ]),
  ];
}

function fanCommand(config: Config, speeds: Speeds, presets: readonly string[]): (values: JsonObject) => Carried {
  const sender = new Sender(config);
  const power = sender.to("command_topic", "command_template");
  const percentage = sender.to("percentage_command_topic", "percentage_command_template");
  const oscillation = sender.to("oscillation_command_topic", "oscillation_command_template");
  const direction = sender.to("direction_command_topic", "direction_command_template");
  const preset = sender.to("preset_mode_command_topic", "preset_mode_command_template");
  const hasState = config.has("state_topic");
  const switched = (on: boolean): Outgoing | null =>
    power?.(on ? config.payload("payload_on", "ON") : config.payload("payload_off", "OFF")) ?? null;
  const one = (key: string, value: unknown): { publish: (Outgoing | null)[]; expects: JsonObject } | string => {
    const [number, flag] = [numberOf(value), booleanOf(value)];
    if (key === "power")
      return flag === null
        ? "power takes true or false"
        : { publish: [switched(flag)], expects: hasState ? { power: flag } : {} };
    if (key === "speed" || key === "percentage") {
      const most = key === "speed" ? speeds.top : 100;
      if (number === null || number < 0 || number > most || !Number.isInteger(number))
        return `${key} takes a whole number from 0 to ${most}`;
      if (number === 0) return { publish: [switched(false)], expects: hasState ? { power: false } : {} };
      const own = key === "speed" ? speeds.own(number) : speeds.ownOfPercent(number);
      const proof = config.has("percentage_state_topic") && key === "speed" ? { speed: number } : {};
      return { publish: [percentage?.(own) ?? null], expects: proof };
    }
    if (key === "oscillating") {
      if (flag === null) return "oscillating takes true or false";
      return {
        publish: [
          oscillation?.(
            flag
              ? config.payload("payload_oscillation_on", "oscillate_on")
              : config.payload("payload_oscillation_off", "oscillate_off"),
          ) ?? null,
        ],
        expects: {},
      };
    }
    if (key === "direction")
      return value === "forward" || value === "reverse"
        ? { publish: [direction?.(value) ?? null], expects: {} }
        : "direction is forward or reverse";
    if (key === "preset")
      return typeof value === "string" && presets.includes(value)
        ? { publish: [preset?.(value) ?? null], expects: {} }
        : `preset is one of ${presets.join(", ")}`;
    return `the fan knows no ${key}`;
  };
  return (values) => {
    const publish: (Outgoing | null)[] = [];
    const expects: JsonObject = {};
    const isOff = booleanOf(values.power) === false;
    for (const [key, value] of Object.entries(isOff ? { power: false } : values)) {
      const done = one(key, value);
      if (typeof done === "string") return { unsupported: done };
      publish.push(...done.publish);
      Object.assign(expects, done.expects);
    }
    return carried(publish, Object.keys(expects).length > 0 ? expects : null);
  };
}
