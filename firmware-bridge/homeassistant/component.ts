/** How the hub sees a discovered component: its values, the topics it listens to, the commands it takes. */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Outgoing } from "../family.ts";
import { receivedVariables, type Template } from "../jinja/template.ts";
import { jsonOf } from "../json-values.ts";
import type { Config } from "./config.ts";

/**
 * A value that a component reports. `name` is the hub's word without a channel's number; the device adds one if it
 * must. `state`: as it is. `metric`: measured. `counter`: Wh, running.
 */
export interface Word {
  readonly name: string;
  readonly kind: "state" | "metric" | "counter";
  /** Its name if another component already has the word: the component's own. */
  readonly own: string;
}

/** One value in a message. */
export type DecodedValue =
  | { readonly word: string; readonly value: unknown }
  | { readonly word: string; readonly wattHours: number; readonly epoch: string | null }
  | { readonly event: string; readonly title: string };

/** A topic that a component listens to. */
export interface Input {
  readonly topic: string;
  read(received: Received): readonly DecodedValue[];
}

/** The messages that carry a command out. `expects` in the component's words. */
export type Carried =
  | { readonly publish: readonly Outgoing[]; readonly expects: JsonObject | null }
  | { readonly unsupported: string };

/** A component. */
export interface Component {
  readonly platform: string;
  readonly id: string;
  readonly label: string;
  /** Whether it is one of the outputs that a device counts: `power` is one of its words. */
  readonly isOutput: boolean;
  readonly words: readonly Word[];
  readonly inputs: readonly Input[];
  /** JSON schemas of the commands it takes, by word. */
  readonly takes: Readonly<Record<string, JsonObject>>;
  /** Words that it takes but no console shows. */
  readonly alsoTakes: readonly string[];
  /** Carries out the part of a command that is for it. Called only with words it takes. */
  command(values: JsonObject): Carried;
  /** The topic for a text addressed to it by its own name; null if it takes none. */
  readonly rawTopic: string | null;
  /** The product type it suggests for its device; null for no suggestion. */
  readonly suggests: string | null;
  /** Seconds after which its values are too old; null: never. */
  readonly expiresSeconds: number | null;
  /** Seconds after which a binary sensor is off again by itself; null: never. */
  readonly offDelaySeconds: number | null;
}

/** What builders make; {@link component} fills in the rest. */
export type Parts = Partial<Omit<Component, "platform" | "id" | "label">>;

/** A component's names. */
export interface Naming {
  readonly platform: string;
  readonly id: string;
  readonly label: string;
  /** Its name in `camelCase`: used where the hub has no word. */
  readonly own: string;
}

/** A component from the parts that its builder gives. */
export function component(naming: Naming, parts: Parts): Component {
  return {
    platform: naming.platform,
    id: naming.id,
    label: naming.label,
    isOutput: false,
    words: [],
    inputs: [],
    takes: {},
    alsoTakes: [],
    command: () => ({ unsupported: `${naming.label} takes no commands` }),
    rawTopic: null,
    suggests: null,
    expiresSeconds: null,
    offDelaySeconds: null,
    ...parts,
  };
}

/** A payload, parsed once for all that listen to its topic. */
export class Received {
  readonly text: string;
  readonly retained: boolean;
  #json: { readonly value: unknown } | null = null;

  constructor(text: string, retained: boolean) {
    this.text = text;
    this.retained = retained;
  }

  /** The payload as JSON; undefined if it is not. */
  get json(): unknown {
    this.#json ??= { value: jsonOf(this.text) };
    return this.#json.value;
  }

  /**
   * Renders the payload with a template; without one, returns the payload itself. Null if the message lacks a value
   * that the template requires.
   */
  through(template: Template | null): { readonly text: string; readonly value: unknown } | null {
    if (template === null) return { text: this.text.trim(), value: this.text };
    const result = template.evaluate(receivedVariables(this.text, this.json));
    return "text" in result ? result : null;
  }
}

/**
 * An input of `topicName` that passes the payload, rendered by `templateName`, to `read`; undefined without such a
 * topic.
 */
export function input(
  config: Config,
  names: { readonly topic: string; readonly template: string },
  read: (value: { readonly text: string; readonly value: unknown }, received: Received) => readonly DecodedValue[],
): Input[] {
  const topic = config.topic(names.topic);
  if (topic === null) return [];
  const template = config.template(names.template);
  return [
    {
      topic,
      read: (received) => {
        const value = received.through(template);
        return value === null || value.text === "" ? [] : read(value, received);
      },
    },
  ];
}

/** Makes messages for a component's command topics. */
export class Sender {
  readonly #config: Config;
  readonly #qos: 0 | 1;

  constructor(config: Config) {
    this.#config = config;
    this.#qos = config.number("qos") === 0 ? 0 : 1;
  }

  /** The topic with this name, with the template of its payload; null if the component has no such topic. */
  to(
    topicName: string,
    templateName: string,
  ): ((value: string | number, variables?: Readonly<Record<string, unknown>>) => Outgoing | null) | null {
    const topic = this.#config.topic(topicName);
    if (topic === null) return null;
    const template = this.#config.template(templateName);
    return (value, variables = {}) => {
      if (template === null) return this.message(topic, String(value));
      const result = template.evaluate({ value, ...variables });
      return "text" in result ? this.message(topic, result.text) : null;
    };
  }

  message(topic: string, payload: string): Outgoing {
    return { topic, payload, qos: this.#qos };
  }
}

/** Messages of a command; unsupported if a template could not make one. */
export function carried(publish: readonly (Outgoing | null)[], expects: JsonObject | null): Carried {
  const messages = publish.filter((message): message is Outgoing => message !== null);
  return messages.length === publish.length
    ? { publish: messages, expects }
    : { unsupported: "the template of its command gives no payload" };
}

/** The state word of a component that has only one. */
export function stateWord(name: string, own: string): Word {
  return { name, kind: "state", own };
}

/** Whether a payload is the expected one, ignoring case. */
export function says(text: string, payload: string): boolean {
  return text === payload || text.toLowerCase() === payload.toLowerCase();
}
