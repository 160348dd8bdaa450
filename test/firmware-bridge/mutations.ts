/**
 * Damaged messages of every family: messages of recorded conversations, changed in seeded ways, given to the real
 * bridge.
 */
import { FAMILIES } from "../../firmware-bridge/families.ts";
import { BridgeParts, settled } from "../support/bridge-parts.ts";
import { conversations, payloadText } from "../support/conversation.ts";

/** Findings of a run. */
export interface MutationReport {
  readonly messages: number;
  readonly devices: number;
  /** Problems that were reported, including repetitions. */
  readonly problems: number;
  /** Invalid device ids. */
  readonly invalidIds: readonly string[];
  /** Calls of a family that threw, by topic. */
  readonly thrown: readonly string[];
  /** Longest time one message took, ms. */
  readonly slowestMs: number;
  readonly slowestTopic: string;
}

const NASTY: readonly unknown[] = [
  ...[
    null,
    "",
    0,
    -1,
    1e308,
    -0.5,
    true,
    false,
    [],
    {},
    [[[[]]]],
    "NaN",
    "null",
    "__proto__",
    "constructor",
    "../../etc/passwd",
    "a/b/#",
    "+",
    "$SYS/x",
  ],
  ...[
    "\u0000",
    "\ud800",
    "𝕊",
    "x".repeat(10_000),
    "9".repeat(400),
    { __proto__x: 1, constructor: { prototype: 1 } },
    [null, null],
    "{{ 1/0 }}",
    "{% for %}",
  ],
];

/** Gives the bridge `count` damaged messages. The same seed gives the same messages. */
export async function mutate(count: number, seed: number): Promise<MutationReport> {
  const random = mulberry32(seed);
  // never empty here
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const messages = FAMILIES.flatMap(({ name }) =>
    conversations(name).flatMap(({ steps }) =>
      steps.flatMap((step) =>
        "message" in step ? [{ topic: step.message.topic, payload: payloadText(step.message.payload) }] : [],
      ),
    ),
  );
  const hub = new BridgeParts(FAMILIES);
  await hub.start();
  const thrown: string[] = [];
  let slowestMs = 0;
  let slowestTopic = "";
  for (let index = 0; index < count; index++) {
    const { topic, payload } = pick(messages);
    const damaged = {
      topic: random() < 0.15 ? damagedTopic(topic, pick) : topic,
      payload: damagedPayload(payload, random, pick),
    };
    const before = performance.now();
    await hub.say(damaged.topic, damaged.payload, { retain: random() < 0.05 });
    const tookMs = performance.now() - before;
    if (tookMs > slowestMs) [slowestMs, slowestTopic] = [tookMs, damaged.topic];
    if (index % 50 === 49) {
      hub.clock.advance(1_000);
      await settled();
    }
    for (const problem of hub.bridge.problems.list().slice(0, 3)) {
      if (/could not handle this message|the id .* is none/.test(problem.reason))
        thrown.push(`${problem.family} ${problem.topic}: ${problem.reason} ${problem.example}`);
    }
    if (index % 500 === 499) hub.bridge.problems.clear();
  }
  const ids = [...hub.devices.keys()];
  return {
    messages: count,
    devices: ids.length,
    problems: hub.bridge.figures.problems,
    invalidIds: ids.filter((id) => !/^[A-Za-z0-9_-]{1,64}$/.test(id)),
    thrown: [...new Set(thrown)],
    slowestMs: Math.round(slowestMs),
    slowestTopic,
  };
}

function damagedTopic(topic: string, pick: <Item>(items: readonly Item[]) => Item): string {
  const levels = topic.split("/");
  levels[pick([...levels.keys()])] = String(
    pick(["", "x", "ü", "AABBCC", "a".repeat(200), "config", "__proto__", "0", " "]),
  );
  return levels.join("/");
}

function damagedPayload(text: string, random: () => number, pick: <Item>(items: readonly Item[]) => Item): Buffer {
  const way = random();
  if (way < 0.15) return Buffer.from(text.slice(0, Math.floor(random() * text.length)));
  if (way < 0.3) {
    const bytes = Buffer.from(text);
    for (let flips = 0; flips < 3 && bytes.length > 0; flips++)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    return bytes;
  }
  if (way < 0.35)
    return Buffer.from(
      String(pick(["", "null", "[]", "{}", '"text"', "true", "1e999", "[".repeat(5_000), `{"a":`.repeat(2_000)])),
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return Buffer.from(way < 0.7 ? JSON.stringify(pick(NASTY)) : `${text}${String(pick(NASTY)).slice(0, 50)}`);
  }
  for (let changes = 0; changes < 1 + Math.floor(random() * 3); changes++) value = damagedValue(value, random, pick);
  return Buffer.from(JSON.stringify(value) ?? "");
}

function damagedValue(value: unknown, random: () => number, pick: <Item>(items: readonly Item[]) => Item): unknown {
  if (typeof value !== "object" || value === null || random() < 0.1) return pick(NASTY);
  const copy: unknown = Array.isArray(value) ? [...value] : { ...value };
  const members = copy as Record<string, unknown>; // by index or by name
  const keys = Object.keys(members);
  if (keys.length === 0) return pick(NASTY);
  const key = pick(keys);
  const way = random();
  if (way < 0.2) delete members[key];
  else if (way < 0.3) members[pick(["unique_id", "mac", "id", "name", "__proto__x", "t", "~"])] = members[key];
  else members[key] = damagedValue(members[key], random, pick);
  return copy;
}

/** A small seeded generator; the quality of its randomness does not matter here. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
