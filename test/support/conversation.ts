/**
 * Recorded conversations with firmware: what a device says, what the hub makes of it, what the hub answers. They stand
 * in `firmware-bridge/<family>/fixtures/*.json` and are replayed twice: against the family alone, with {@link replay},
 * and over real MQTT against a whole hub (`test/firmware-bridge/`), which compare devices, states, telemetry, presence
 * and sent messages.
 *
 * ```json { "source": "page or file of the documented format", "about": "one sentence", "prefix": null, "steps": [ {
 * "connected": true }, { "message": { "topic": "tele/plug/LWT", "payload": "Online", "retained": true }, "effects": [ {
 * "do": "availability", "key": "aabbccddeeff", "online": true } ] }, { "command": { "key": "aabbccddeeff", "command": {
 * "power": true } }, "publish": [ { "topic": "cmnd/plug/POWER1", "payload": "ON" } ], "expects": { "power": true } }, {
 * "unsupported": { "key": "aabbccddeeff", "command": { "speed": 3 } } }, { "passed": 60000, "effects": [] } ] } ```
 * `payload` is the text itself, or JSON that is written out. `effects`, where it is given, lists all of them in order;
 * of a `device`, a `problem` and the words of an `event` only the members that are given are compared. A device that a
 * conversation names must be announced in it. One file is one hub: keys may come again in other files.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Test } from "tap";
import type { Adapter, Effect, Family, Outgoing } from "../../firmware-bridge/family.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { PROJECT_ROOT } from "./database.ts";

/** An effect as a conversation writes it down: members may be omitted as the head of this file explains. */
type ExpectedEffect = JsonObject & { readonly do: Effect["do"] };

/** One step of a conversation. */
export type Step =
  | {
      readonly message: { readonly topic: string; readonly payload: unknown; readonly retained?: boolean };
      readonly effects?: readonly ExpectedEffect[];
    }
  | {
      readonly command: { readonly key: string; readonly command: JsonObject };
      /** All messages, in order; `qos` is compared if given. */
      readonly publish: readonly { readonly topic: string; readonly payload: unknown; readonly qos?: 0 | 1 }[];
      readonly expects?: JsonObject | null;
    }
  | { readonly unsupported: { readonly key: string; readonly command: JsonObject } }
  | { readonly passed: number; readonly effects?: readonly ExpectedEffect[] }
  | { readonly connected: true; readonly effects?: readonly ExpectedEffect[] };

/** A recorded conversation. */
export interface Conversation {
  /** Name of its file without `.json`. */
  readonly name: string;
  /** Page or file that documents the format. */
  readonly source: string;
  readonly about: string;
  /** A base topic different from the family's own. */
  readonly prefix?: string;
  readonly steps: readonly Step[];
}

/** The time at which a replay begins, epoch ms. */
export const REPLAY_START = Date.parse("2026-03-01T12:00:00Z");

const EVERY_VALUE = "every value";

/**
 * A conversation with every message that a family knows; the result of each step stands beside it as `heard`, the
 * devices in test/fixtures/in-full. None for families without one.
 */
export function everyValue(family: string): Conversation[] {
  const file = everyValueFile(family);
  if (!existsSync(file)) return [];
  return [{ ...(JSON.parse(readFileSync(file, "utf8")) as Conversation), name: EVERY_VALUE }]; // as below
}

/** Where {@link everyValue} stands. */
export function everyValueFile(family: string): string {
  return join(PROJECT_ROOT, "test/fixtures/every-value", `${family}.json`);
}

/** Whether it is an {@link everyValue}. */
export function isEveryValue({ name }: Conversation): boolean {
  return name === EVERY_VALUE;
}

/** The recorded conversations of a family, by name. */
export function conversations(family: string): Conversation[] {
  const folder = join(PROJECT_ROOT, "firmware-bridge", family, "fixtures");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => ({
      ...(JSON.parse(readFileSync(join(folder, file), "utf8")) as Conversation),
      name: file.replace(/\.json$/, ""),
    })); // checked against the format by replay()
}

/** The bytes of a payload as a conversation writes it. */
export function payloadText(payload: unknown): string {
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}

/** Replays a conversation against the family alone; each step is one assertion of `t`. Returns the adapter for more. */
export function replay(t: Test, family: Family, conversation: Conversation): Adapter {
  t.ok(conversation.source && conversation.about, "names its source and its subject");
  const adapter = family.open({ prefix: conversation.prefix ?? family.prefix });
  adapter.restore([]);
  const filters = family.filters(conversation.prefix ?? family.prefix);
  const schemas = new Map<string, JsonObject | null>();
  const heard = (effects: readonly Effect[]): readonly Effect[] => {
    for (const effect of effects) if (effect.do === "device") schemas.set(effect.device.key, effect.device.commands);
    return effects;
  };
  let at = REPLAY_START;
  for (const [index, step] of conversation.steps.entries()) {
    const name = `step ${index + 1}`;
    if ("message" in step) {
      const { topic, payload, retained = false } = step.message;
      t.ok(
        filters.some((filter) => matches(filter, topic)),
        `${name}: ${topic} is one of the family's topics`,
      );
      compareEffects(
        t,
        heard(adapter.message({ topic, payload: Buffer.from(payloadText(payload)), retained, at })),
        step.effects,
        `${name}: ${topic}`,
      );
    } else if ("command" in step) {
      const { key, command } = step.command;
      const translation = adapter.command(key, command);
      const label = `${name}: ${JSON.stringify(command)}`;
      if ("unsupported" in translation) {
        t.fail(`${label} is unsupported: ${translation.unsupported}`);
        continue;
      }
      t.same(translation.publish.map(asWritten(step.publish)), step.publish.map(plain), label);
      if (step.expects !== undefined) t.same(translation.expects, step.expects, `${label}: its expected effect`);
    } else if ("unsupported" in step) {
      const { key, command } = step.unsupported;
      t.ok("unsupported" in adapter.command(key, command), `${name}: ${JSON.stringify(command)} is unsupported`);
    } else if ("passed" in step) {
      at += step.passed;
      compareEffects(t, heard(adapter.passed?.(at) ?? []), step.effects, `${name}: after ${step.passed} ms`);
    } else compareEffects(t, heard(adapter.connected(at)), step.effects, `${name}: connected`);
  }
  for (const [key, schema] of schemas) if (schema !== null) takesWhatItSays(t, adapter, key, schema);
  return adapter;
}

/** Why a removed device accepts no commands, and what an alarm needs besides controls. */
const REFUSED_RIGHTLY = /it has not announced itself|the device is not known yet|the alarm asks for a code/;

/**
 * A device's description of its commands is a schema, and its commands are accepted: the console draws its controls
 * from it.
 */
function takesWhatItSays(t: Test, adapter: Adapter, key: string, schema: JsonObject): void {
  t.doesNotThrow(() => new Ajv2020({ strict: true }).compile(schema), `${key}: a schema`);
  const properties = Object(schema.properties) as Record<string, JsonObject>;
  const refused = Object.entries(properties).flatMap(([word, property]) =>
    valuesOf(property).flatMap((value) => {
      const translation = adapter.command(key, { [word]: value });
      const isRefused = "unsupported" in translation && !REFUSED_RIGHTLY.test(translation.unsupported);
      return isRefused ? [`${word} ${JSON.stringify(value)}: ${translation.unsupported}`] : [];
    }),
  );
  t.same(refused, [], `${key} accepts what it announces`);
}

/** Values at the edges of what a schema's property allows; none if the schema does not show them. */
function valuesOf({ type, minimum, maximum, enum: listed, pattern }: JsonObject): unknown[] {
  if (Array.isArray(listed)) return listed;
  if (type === "boolean") return [true, false];
  if (type === "integer" || type === "number") return [minimum, maximum].filter((value) => value !== undefined);
  return typeof pattern === "string" && pattern.startsWith("^#") ? ["#ff8000"] : [];
}

function compareEffects(
  t: Test,
  effects: readonly Effect[],
  expected: readonly ExpectedEffect[] | undefined,
  label: string,
): void {
  if (expected === undefined) return;
  const found = effects.map((effect, index) => reduced(effect, expected[index]));
  t.same(found, expected.map(written), label);
}

/** The part of an effect that the expectation mentions. */
function reduced(effect: Effect, expected: ExpectedEffect | undefined): unknown {
  if (expected === undefined || effect.do !== expected.do) return effect;
  if (effect.do === "device") return { do: "device", device: only(effect.device, expected.device) };
  if (effect.do === "problem" || effect.do === "event") return only(effect, expected);
  if (effect.do === "publish") {
    const { afterMs, message } = effect;
    // a publish effect has a message
    const plainMessage = asWritten([expected.message as { payload: unknown; qos?: 0 | 1 }])(message, 0);
    return { do: "publish", message: plainMessage, ...(afterMs === undefined ? {} : { afterMs }) };
  }
  return effect;
}

function written(expected: ExpectedEffect): unknown {
  return expected.do === "publish"
    ? { ...expected, message: plain(expected.message as { payload: unknown }) }
    : expected; // a publish effect has a message
}

function only(value: object, wanted: unknown): object {
  const keys = Object.keys(typeof wanted === "object" && wanted !== null ? wanted : {});
  const members = value as JsonObject; // read by name only
  return Object.fromEntries(keys.map((key) => [key, members[key]]));
}

/** A message in the form in which the expectation writes it: JSON as JSON, QoS only if written. */
function asWritten(
  expected: readonly { readonly payload: unknown; readonly qos?: 0 | 1 }[],
): (message: Outgoing, index: number) => unknown {
  return (message, index) => ({
    topic: message.topic,
    payload: typeof expected[index]?.payload === "string" ? message.payload : parsed(message.payload),
    ...(expected[index]?.qos === undefined ? {} : { qos: message.qos ?? 1 }),
  });
}

function plain<Written>(message: Written): Written {
  return message;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether an MQTT topic filter matches a topic. */
function matches(filter: string, topic: string): boolean {
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [index, part] of wanted.entries()) {
    if (part === "#") return true;
    if (levels[index] === undefined || (part !== "+" && part !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
