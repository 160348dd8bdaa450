/**
 * What a firmware family must tolerate: any bytes on any of its topics, any command. Nothing may throw, and the output
 * must be fit for the hub: valid keys, finite numbers, topics without wildcards, no access to a prototype.
 */
import fc from "fast-check";
import type { Test } from "tap";
import type { Adapter, Effect, Family } from "../../firmware-bridge/family.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { type Conversation, payloadText, REPLAY_START } from "./conversation.ts";

const KEY = /^[a-z0-9_-]{1,48}$/;
const NESTED = "[".repeat(50_000);
const HOSTILE: readonly string[] = [
  "",
  "null",
  "0",
  "-0",
  "1e999",
  "NaN",
  "true",
  '"',
  "{",
  "[]",
  "{}",
  "[[]]",
  NESTED,
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '{"id":{"toString":1},"mac":["AABBCCDDEEFF"]}',
  JSON.stringify({ list: Array.from({ length: 5_000 }, (_, index) => index) }),
  JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`key${index}`, index]))),
  "\u0000\u0001\ud800",
  "x".repeat(70_000),
];

/**
 * Sends every hostile payload to every topic of the conversations, then mutated and random ones. `runs`: random
 * messages.
 */
export function bearsHostileMessages(t: Test, family: Family, recorded: readonly Conversation[], runs = 3_000): void {
  const messages = recorded.flatMap(({ steps }) => steps.flatMap((step) => ("message" in step ? [step.message] : [])));
  const topics = [...new Set(messages.map(({ topic }) => topic))];
  const texts = [...new Set(messages.map(({ payload }) => payloadText(payload)))].filter((text) => text !== "");
  const adapter = openAfter(family, recorded);
  for (const topic of topics) for (const text of HOSTILE) tell(adapter, topic, Buffer.from(text), false);
  t.pass(`${topics.length} topics tolerate ${HOSTILE.length} hostile payloads each`);
  const levels = [...new Set(topics.flatMap((topic) => topic.split("/")))];
  const topic = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...topics) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.constantFrom(...levels, "", "__proto__", "constructor", "0", "99"), { minLength: 1, maxLength: 6 })
        .map((parts) => parts.join("/")),
    },
  );
  const payload = fc.oneof(
    fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.string({ maxLength: 6 }), fc.nat(12))
      .map(([text, at, put, cut]) => mutated(text, at, put, cut)),
    fc.constantFrom(...texts),
    fc.json(),
    fc.string(),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );
  fc.assert(
    fc.property(topic, payload, fc.boolean(), (where, text, retained) =>
      tell(adapter, where, Buffer.from(text), retained),
    ),
    { numRuns: runs },
  );
  t.pass(`${runs} mutated and random messages leave nothing invalid`);
  t.equal(({} as JsonObject).polluted, undefined, "no prototype was reached"); // an empty object has no such member
}

/** Gives every device of the conversations random commands and fragments of recorded ones. */
export function bearsHostileCommands(t: Test, family: Family, recorded: readonly Conversation[], runs = 2_000): void {
  const adapter = openAfter(family, recorded);
  const commands = recorded.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      "command" in step ? [step.command.command] : "unsupported" in step ? [step.unsupported.command] : [],
    ),
  );
  const keys = [
    ...new Set(recorded.flatMap(({ steps }) => steps.flatMap((step) => ("command" in step ? [step.command.key] : [])))),
  ];
  const names = [...new Set(commands.flatMap(Object.keys))];
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      true,
      false,
      null,
      0,
      1,
      50,
      -1,
      1e9,
      "on",
      "",
      "toggle",
      "#ff0000",
      [],
      {},
      [true],
      ["x"],
    ),
    fc.jsonValue(),
  );
  const command = fc.oneof(
    fc.dictionary(
      fc.constantFrom(...names, "power", "ch", "on", "relays", "brightness", "__proto__", "constructor"),
      value,
      { maxKeys: 4 },
    ),
    fc.constantFrom(...commands),
  );
  fc.assert(
    fc.property(fc.constantFrom(...keys, "nobody", "__proto__"), command, (key, sent) => {
      // what came from JSON is JSON
      const translation = adapter.command(key, JSON.parse(JSON.stringify(sent)) as JsonObject);
      if ("unsupported" in translation) {
        if (typeof translation.unsupported !== "string" || translation.unsupported === "")
          throw new Error("no reason given");
        return;
      }
      if (translation.publish.length === 0) throw new Error(`nothing is sent for ${JSON.stringify(sent)}`);
      for (const message of translation.publish) checkTopic(message.topic);
    }),
    { numRuns: runs },
  );
  t.pass(`${runs} commands are translated or refused`);
}

function openAfter(family: Family, recorded: readonly Conversation[]): Adapter {
  const adapter = family.open({ prefix: family.prefix });
  adapter.restore([]);
  adapter.connected(REPLAY_START);
  for (const { steps, prefix } of recorded) {
    if (prefix !== undefined && prefix !== family.prefix) continue;
    for (const step of steps)
      if ("message" in step)
        tell(
          adapter,
          step.message.topic,
          Buffer.from(payloadText(step.message.payload)),
          step.message.retained ?? false,
        );
  }
  return adapter;
}

function tell(adapter: Adapter, topic: string, payload: Buffer, retained: boolean): void {
  const effects = adapter.message({ topic, payload, retained, at: REPLAY_START });
  if (effects.length > 2_000) throw new Error(`${effects.length} effects of one message`);
  for (const effect of effects) checkEffect(effect);
}

function checkEffect(effect: Effect): void {
  if (effect.do === "publish") checkTopic(effect.message.topic);
  else if (effect.do === "device") {
    const { device } = effect;
    if (!KEY.test(device.key)) throw new Error(`invalid key ${device.key}`);
    if (device.name === "" || device.name.length > 200) throw new Error(`invalid name ${device.name}`);
    if (JSON.stringify(device.memo).length > 16_384) throw new Error("the memo is too long");
  } else if (effect.do !== "problem" && effect.do !== "recall" && !KEY.test(effect.key))
    throw new Error(`invalid key ${effect.key}`);
  if (effect.do === "telemetry") {
    const entries = Object.entries(effect.data);
    if (entries.length === 0) throw new Error("an empty sample");
    for (const [name, value] of entries)
      if (!Number.isFinite(value) || !/^[A-Za-z][A-Za-z0-9]{0,47}$/.test(name))
        throw new Error(`unfit value ${name}: ${value}`);
  }
  if (effect.do === "counter" && (!Number.isFinite(effect.wattHours) || effect.metric === ""))
    throw new Error("unfit counter");
  if (effect.do === "event" && !/^[A-Za-z0-9_.:-]{1,64}$/.test(effect.kind))
    throw new Error(`unfit kind ${effect.kind}`);
  if (effect.do === "state") {
    for (const name of Object.keys(effect.patch))
      if (!/^[A-Za-z][A-Za-z0-9]{0,47}$/.test(name)) throw new Error(`unfit name ${name}`);
    if (Object.getPrototypeOf(effect.patch) !== Object.prototype) throw new Error("a patch with a foreign prototype");
  }
}

function checkTopic(topic: string): void {
  if (topic === "" || ["+", "#", "\u0000"].some((sign) => topic.includes(sign)))
    throw new Error(`unfit topic ${topic}`);
}

function mutated(text: string, at: number, put: string, cut: number): string {
  const place = text.length === 0 ? 0 : at % text.length;
  return text.slice(0, place) + put + text.slice(place + cut);
}
