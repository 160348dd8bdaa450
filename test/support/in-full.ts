/**
 * The full results of a family's recorded conversations: every device, the messages of each control, its topics, and
 * the words of every event and problem. A conversation itself compares only the members that it lists.
 */
import { createHash } from "node:crypto";
import type { Adapter, BridgedDevice, Effect, Family } from "../../firmware-bridge/family.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { type Conversation, isEveryValue, payloadText, REPLAY_START, type Step } from "./conversation.ts";

const LONGEST_SHOWN = 200;

/** The results of a conversation: texts by subject. */
export type InFull = Readonly<Record<string, unknown>>;

/** Replays a conversation, then gives every device every value at the edges of what it accepts, and beyond. */
export function inFull(family: Family, conversation: Conversation): InFull {
  const adapter = family.open({ prefix: conversation.prefix ?? family.prefix });
  adapter.restore([]);
  const step = stepper(adapter);
  const each = conversation.steps.map((one) => [one, step(one)] as const);
  const effects = each.flatMap(([, told]) => told);
  return {
    devices: devicesOf(effects).map((device) => ({
      device,
      topics: adapter.topics(device.key),
      sends: sends(adapter, device),
    })),
    said: [...new Set(effects.flatMap(wordsOf))],
    afterRestart: afterRestart(family, conversation, effects),
    restartedHalfway: restartedHalfway(family, conversation),
    ...(isEveryValue(conversation)
      ? {}
      : {
          heard: each.flatMap(([one, told]) =>
            "effects" in one ? [] : `${shown(one)} = ${heard(adapter, one, told)}`,
          ),
        }),
  };
}

/** The conversation with the result of each step beside it, as test/fixtures/every-value records it. */
export function withResults(family: Family, conversation: Conversation): Conversation {
  const adapter = family.open({ prefix: conversation.prefix ?? family.prefix });
  adapter.restore([]);
  const step = stepper(adapter);
  const each = conversation.steps.map((one) => [one, step(one)] as const);
  return { ...conversation, steps: each.map(([one, told]) => ({ ...one, heard: heard(adapter, one, told) })) };
}

/** The differences when all of it is heard again after a restart by a family that knows the devices already. */
function afterRestart(family: Family, conversation: Conversation, effects: readonly Effect[]): string[] {
  return otherwise(effects, conversation.steps.flatMap(stepper(restarted(family, conversation, effects))));
}

/** The differences in the second half of a conversation after a restart. */
function restartedHalfway(family: Family, conversation: Conversation): string[] {
  const { steps } = conversation;
  const [first, second] = [steps.slice(0, steps.length / 2), steps.slice(steps.length / 2)];
  const adapter = family.open({ prefix: conversation.prefix ?? family.prefix });
  adapter.restore([]);
  const step = stepper(adapter);
  const heard = first.flatMap(step);
  const again = stepper(restarted(family, conversation, heard), timeOf(first));
  return otherwise(second.flatMap(step), second.flatMap(again));
}

/** A family that knows the devices of `effects` from before. */
function restarted(family: Family, { prefix }: Conversation, effects: readonly Effect[]): Adapter {
  const adapter = family.open({ prefix: prefix ?? family.prefix });
  adapter.restore(devicesOf(effects).map(({ key, memo }) => ({ key, memo: JSON.parse(JSON.stringify(memo)) })));
  return adapter;
}

/** What is in `now` and not in `usual`, and vice versa. */
function otherwise(usual: readonly Effect[], now: readonly Effect[]): string[] {
  const lines = (all: readonly Effect[]): string[] =>
    all.map((effect) => JSON.stringify("device" in effect ? { ...effect.device, memo: undefined } : effect));
  const [before, after] = [new Set(lines(usual)), new Set(lines(now))];
  const only = (some: ReadonlySet<string>, others: ReadonlySet<string>, sign: string): string[] =>
    [...some].filter((line) => !others.has(line)).map((line) => `${sign} ${short(line)}`);
  return [...only(after, before, "+"), ...only(before, after, "-")];
}

function timeOf(steps: Conversation["steps"]): number {
  return steps.reduce((at, step) => ("passed" in step ? at + step.passed : at), REPLAY_START);
}

/** The result of a step. */
function heard(adapter: Adapter, one: Step, told: readonly Effect[]): string {
  if ("command" in one) return translated(adapter, one.command.key, one.command.command);
  const lines = told.map((effect) => ("device" in effect ? `device ${effect.device.key}` : JSON.stringify(effect)));
  return lines.map((line) => line.replaceAll('"', "")).join("; ");
}

/** The beginning of a step. */
function shown(one: Step): string {
  const what = "message" in one ? `${one.message.topic} ${payloadText(one.message.payload)}` : JSON.stringify(one);
  return what.length > 90 ? `${what.slice(0, 90)}…` : what;
}

/** The devices that effects announce and do not withdraw, each in its latest form. */
export function devicesOf(effects: readonly Effect[]): BridgedDevice[] {
  const devices = new Map<string, BridgedDevice>();
  for (const effect of effects)
    if (effect.do === "device") devices.set(effect.device.key, effect.device);
    else if (effect.do === "gone") devices.delete(effect.key);
  return [...devices.values()];
}

/** Does the steps of a conversation one by one, the first at `begin`. */
export function stepper(adapter: Adapter, begin = REPLAY_START): (step: Step) => readonly Effect[] {
  let at = begin;
  return (step) => {
    if ("message" in step) {
      const { topic, payload, retained = false } = step.message;
      return adapter.message({ topic, payload: Buffer.from(payloadText(payload)), retained, at });
    }
    if ("passed" in step) {
      at += step.passed;
      return adapter.passed?.(at) ?? [];
    }
    if ("connected" in step) return adapter.connected(at);
    const { key, command } = "command" in step ? step.command : step.unsupported;
    adapter.command(key, command);
    return [];
  };
}

function wordsOf(effect: Effect): string[] {
  if (effect.do === "event") return [`${effect.key} ${effect.kind}: ${effect.title} / ${effect.body}`];
  return effect.do === "problem" ? [`${effect.topic}: ${effect.reason}`] : [];
}

/** A command for every value of every control; at most that many for each. */
export function singles({ commands }: BridgedDevice, most?: number): JsonObject[] {
  return controlsOf(commands).flatMap(([word, values]) => values.slice(0, most).map((value) => ({ [word]: value })));
}

/** The controls of a device with the values to try. */
function controlsOf(commands: JsonObject | null): (readonly [word: string, values: unknown[]])[] {
  const properties = Object(commands?.properties) as Record<string, JsonObject>; // of a schema
  return Object.entries(properties).map(([word, property]) => [word, valuesAround(property)]);
}

/**
 * The messages sent to a device for every value of every control, by control, and for each control together with each
 * further one.
 */
export function sends(adapter: Adapter, device: BridgedDevice): Record<string, Record<string, string>> {
  const controls = controlsOf(device.commands);
  const sent = (command: JsonObject): [string, string] => [
    JSON.stringify(command),
    translated(adapter, device.key, command),
  ];
  return Object.fromEntries(
    controls.flatMap(([one, values], index) => [
      [one, Object.fromEntries(values.map((value) => sent({ [one]: value })))],
      ...(index + 1 < controls.length
        ? [
            [
              `${one} and another`,
              Object.fromEntries(
                controls.slice(index + 1).map(([other, [first]]) => sent({ [one]: values[0], [other]: first })),
              ),
            ],
          ]
        : []),
    ]),
  );
}

/** The result of a command, or why there is none. */
export function translated(adapter: Adapter, key: string, command: JsonObject): string {
  const translation = adapter.command(key, command);
  if ("unsupported" in translation) return `- ${translation.unsupported}`;
  const messages = translation.publish.map(
    ({ topic, payload, qos }) => `${topic} ${payload}${qos === undefined ? "" : ` (QoS ${qos})`}`,
  );
  return [...messages, `expects ${JSON.stringify(translation.expects)}`].join("; ");
}

/** Values within what a schema's property allows, at its edges, one beyond them, and of another type. */
function valuesAround({ type, minimum, maximum, enum: listed, pattern }: JsonObject): unknown[] {
  if (Array.isArray(listed)) return [...listed, "no such"];
  if (type === "boolean") return [true, false, "on"];
  if (type === "integer" || type === "number") {
    const [least, most] = [Number(minimum ?? 0), Number(maximum ?? 100)];
    return [Math.floor((least + most) / 2), least, most, least - 1, most + 1, "1"];
  }
  return typeof pattern === "string" && pattern.startsWith("^#") ? ["#ff8000", "#FFF", "red"] : ["text", 1];
}

/** A long text is compared by its start, its length and a digest. */
export function short(text: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return `${text.slice(0, LONGEST_SHOWN / 2)}… (${text.length} characters, ${digest})`;
}
