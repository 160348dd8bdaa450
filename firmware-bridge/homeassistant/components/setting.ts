/** Numbers, choices, texts, buttons, scenes and messages: settings that a device offers under its own names. */

import { booleanOf, camelCase, numberOf, textOf } from "../../json-values.ts";
import { quantity } from "../../units.ts";
import { type Component, carried, component, input, type Naming, Sender, stateWord } from "../component.ts";
import type { Config } from "../config.ts";

const NAMES = { topic: "state_topic", template: "value_template" } as const;

/** A number that can be set. */
export function number(naming: Naming, config: Config): Component {
  const word = naming.own;
  const [least, most] = [config.number("min") ?? 1, config.number("max") ?? 100];
  const send = new Sender(config).to("command_topic", "command_template");
  const reset = config.payload("payload_reset", "None");
  const inputs = input(config, NAMES, ({ text }) => [{ word, value: text === reset ? null : numberOf(text) }]);
  return component(naming, {
    words: [stateWord(word, word)],
    inputs,
    takes: {
      [word]: {
        type: "number",
        title: naming.label,
        minimum: least,
        maximum: most,
        multipleOf: config.number("step") ?? 1,
      },
    },
    rawTopic: config.topic("command_topic"),
    command: (values) => {
      const wanted = numberOf(values[word]);
      if (wanted === null || wanted < least || wanted > most || send === null)
        return { unsupported: `${word} takes a number from ${least} to ${most}` };
      return carried([send(wanted)], inputs.length > 0 ? { [word]: wanted } : null);
    },
  });
}

/** One of several texts. */
export function select(naming: Naming, config: Config): Component {
  const word = naming.own;
  const options = config.list("options");
  const send = new Sender(config).to("command_topic", "command_template");
  const inputs = input(config, NAMES, ({ text }) => [{ word, value: text === "None" ? null : textOf(text, 255) }]);
  return component(naming, {
    words: [stateWord(word, word)],
    inputs,
    takes: { [word]: { type: "string", title: naming.label, enum: options } },
    rawTopic: config.topic("command_topic"),
    command: (values) => {
      const wanted = values[word];
      if (typeof wanted !== "string" || !options.includes(wanted) || send === null)
        return { unsupported: `${word} is one of ${options.slice(0, 12).join(", ")}` };
      return carried([send(wanted)], inputs.length > 0 ? { [word]: wanted } : null);
    },
  });
}

/** A text that can be set. */
export function text(naming: Naming, config: Config): Component {
  const word = naming.own;
  const [shortest, longest] = [config.number("min") ?? 0, Math.min(255, config.number("max") ?? 255)];
  const send = new Sender(config).to("command_topic", "command_template");
  const inputs =
    config.text("mode") === "password" ? [] : input(config, NAMES, ({ text }) => [{ word, value: textOf(text, 255) }]);
  return component(naming, {
    words: [stateWord(word, word)],
    inputs,
    takes: { [word]: { type: "string", title: naming.label, minLength: shortest, maxLength: longest } },
    rawTopic: config.topic("command_topic"),
    command: (values) => {
      const wanted = values[word];
      if (typeof wanted !== "string" || wanted.length < shortest || wanted.length > longest || send === null)
        return { unsupported: `${word} takes a text of ${shortest} to ${longest} characters` };
      return carried([send(wanted)], inputs.length > 0 ? { [word]: wanted } : null);
    },
  });
}

/** A button: `{"<its name>": true}` presses it. */
export function button(naming: Naming, config: Config): Component {
  const word = naming.own;
  const send = new Sender(config).to("command_topic", "command_template");
  const payload = config.payload("payload_press", "PRESS");
  return component(naming, {
    takes: { [word]: { title: naming.label, enum: [true] } },
    rawTopic: config.topic("command_topic"),
    command: (values) =>
      booleanOf(values[word]) === true && send ? carried([send(payload)], null) : { unsupported: `${word} takes true` },
  });
}

/** A scene that the device holds: `{"scene": "<its name>"}`. */
export function scene(naming: Naming, config: Config): Component {
  const send = new Sender(config).to("command_topic", "command_template");
  const payload = config.payload("payload_on", "ON");
  return component(naming, {
    takes: { scene: { type: "string", enum: [naming.label] } },
    rawTopic: config.topic("command_topic"),
    command: ({ scene: wanted }) => {
      const isMeant =
        typeof wanted === "string" &&
        (wanted === naming.label || wanted === naming.id || camelCase(wanted) === naming.own);
      return isMeant && send
        ? carried([send(payload)], null)
        : { unsupported: `the device holds no scene of that name` };
    },
  });
}

/** A device that shows or speaks texts: `{"message": "…"}`. */
export function notify(naming: Naming, config: Config): Component {
  const send = new Sender(config).to("command_topic", "command_template");
  return component(naming, {
    takes: { message: { type: "string", title: naming.label, maxLength: 1000 } },
    rawTopic: config.topic("command_topic"),
    command: ({ message }) =>
      typeof message === "string" && message.length <= 1000 && send
        ? carried([send(message)], null)
        : { unsupported: "message takes a text" },
  });
}

/** A temperature in the hub's unit from one that a component reports in its own. */
export function celsius(text: string, unit: string | null): number | null {
  const value = numberOf(text);
  return value === null
    ? null
    : Math.round(quantity(value, unit === "F" ? "°F" : unit === null ? "°C" : unit).value * 100) / 100;
}
