/** Things that are on or off: switches, sirens, and the settings that devices offer as switches. */
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { booleanOf, numberOf, textOf } from "../../json-values.ts";
import {
  type Component,
  carried,
  component,
  input,
  type Naming,
  Sender,
  says,
  stateWord,
  type Word,
} from "../component.ts";
import type { Config } from "../config.ts";

/** The word of a component that is on or off: `power` for the device's purpose, its own name for a setting. */
function onOffWord(naming: Naming, config: Config): { readonly word: Word; readonly isOutput: boolean } {
  const isSetting = config.has("entity_category");
  return { word: stateWord(isSetting ? naming.own : "power", naming.own), isOutput: !isSetting };
}

/** A switch. */
export function switchComponent(naming: Naming, config: Config): Component {
  const { word, isOutput } = onOffWord(naming, config);
  const [on, off] = [config.payload("payload_on", "ON"), config.payload("payload_off", "OFF")];
  const [isOn, isOff] = [config.payload("state_on", on), config.payload("state_off", off)];
  const inputs = input(config, { topic: "state_topic", template: "value_template" }, ({ text }) =>
    says(text, isOn)
      ? [{ word: word.name, value: true }]
      : says(text, isOff)
        ? [{ word: word.name, value: false }]
        : [],
  );
  const send = new Sender(config).to("command_topic", "command_template");
  return component(naming, {
    isOutput,
    words: [word],
    inputs,
    takes: send ? { [word.name]: { type: "boolean", title: naming.label } } : {},
    rawTopic: config.topic("command_topic"),
    suggests: config.text("device_class") === "outlet" ? "smart-plug" : "switch",
    command: (values) => {
      const wanted = booleanOf(values[word.name]);
      if (wanted === null || send === null) return { unsupported: `${word.name} takes true or false` };
      return carried([send(wanted ? on : off)], inputs.length > 0 ? { [word.name]: wanted } : null);
    },
  });
}

/** A siren: on and off, with tone, duration and volume. Without templates it takes JSON. */
export function siren(naming: Naming, config: Config): Component {
  const [on, off] = [config.payload("payload_on", "ON"), config.payload("payload_off", "OFF")];
  const [isOn, isOff] = [config.payload("state_on", on), config.payload("state_off", off)];
  const topic = config.topic("command_topic");
  const sender = new Sender(config);
  const sendOn = sender.to("command_topic", "command_template");
  const sendOff = config.has("command_off_template") ? sender.to("command_topic", "command_off_template") : sendOn;
  const tones = config.list("available_tones");
  const inputs = input(
    config,
    { topic: "state_topic", template: config.has("state_value_template") ? "state_value_template" : "value_template" },
    ({ text }, received) => {
      const state = stateIn(received.json) ?? text;
      return says(state, isOn)
        ? [{ word: "power", value: true }]
        : says(state, isOff)
          ? [{ word: "power", value: false }]
          : [];
    },
  );
  const message = (wanted: boolean, extras: JsonObject) => {
    const payload = wanted ? on : off;
    const send = wanted ? sendOn : sendOff;
    const isPlain = !config.has("command_template") && !(config.has("command_off_template") && !wanted);
    if (isPlain && topic !== null) return sender.message(topic, JSON.stringify({ state: payload, ...extras }));
    return send?.(payload, { state: payload, ...extras }) ?? null;
  };
  return component(naming, {
    isOutput: true,
    words: [stateWord("power", naming.own)],
    inputs,
    takes: {
      power: { type: "boolean", title: naming.label },
      ...(tones.length > 0 ? { tone: { type: "string", enum: tones } } : {}),
    },
    alsoTakes: ["duration", "volume"],
    rawTopic: topic,
    suggests: "siren",
    command: (values) => {
      const wanted = values.power === undefined ? true : booleanOf(values.power);
      if (wanted === null) return { unsupported: "power takes true or false" };
      const { tone } = values;
      if (typeof tone === "string" && !tones.includes(tone)) return { unsupported: "the siren has no such tone" };
      const extras = wanted ? sirenExtras(values) : {};
      return extras === null
        ? { unsupported: "tone is a text, duration a number of seconds, volume 0 to 100" }
        : carried([message(wanted, extras)], inputs.length > 0 ? { power: wanted } : null);
    },
  });
}

function stateIn(json: unknown): string | null {
  return typeof json === "object" && json !== null && Object.hasOwn(json, "state")
    ? textOf(Reflect.get(json, "state"))
    : null;
}

function sirenExtras({ tone, duration, volume }: JsonObject): JsonObject | null {
  const [seconds, percent, name] = [numberOf(duration), numberOf(volume), textOf(tone)];
  if (
    (duration !== undefined && seconds === null) ||
    (volume !== undefined && percent === null) ||
    (tone !== undefined && name === null)
  )
    return null;
  return {
    ...(name === null ? {} : { tone: name }),
    ...(seconds === null ? {} : { duration: seconds }),
    ...(percent === null ? {} : { volume_level: percent / 100 }),
  };
}
