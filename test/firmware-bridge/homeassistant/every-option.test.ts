/**
 * Every component of Home Assistant's discovery with every option that it has: its device, the messages of its
 * controls, the effects of its messages; and the differences without each option. Compared with test/fixtures/in-full;
 * rewritten as in-full.test.ts explains.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Effect } from "../../../firmware-bridge/family.ts";
import { homeassistant } from "../../../firmware-bridge/homeassistant/homeassistant.ts";
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { REPLAY_START } from "../../support/conversation.ts";
import { nameOf, written } from "../../support/damaged.ts";
import { PROJECT_ROOT } from "../../support/database.ts";
import { fixtureText } from "../../support/fixture-text.ts";
import { short, singles, translated } from "../../support/in-full.ts";

/** A component as announced, the messages on its topics, its commands, and the time that passes then (ms). */
interface Case {
  readonly platform: string;
  readonly name: string;
  readonly options: JsonObject;
  readonly says: Readonly<Record<string, readonly string[]>>;
  readonly commands: readonly JsonObject[];
  readonly passed?: readonly number[];
}

const CASES = JSON.parse(
  readFileSync(join(PROJECT_ROOT, "test/fixtures/every-value/homeassistant-options.json"), "utf8"),
) as readonly Case[]; // written by hand
const FILE = join(PROJECT_ROOT, "test/fixtures/in-full", "homeassistant-options.json");

/** All effects of an announcement, a line each. */
function comesTo({ platform, options, says, commands, passed = [] }: Case): string[] {
  const adapter = homeassistant.open({ prefix: null });
  let at = REPLAY_START;
  const lines = (effects: readonly Effect[]): string[] => effects.flatMap((effect) => written(adapter, effect));
  const say = (topic: string, payload: string, retained = false): readonly Effect[] =>
    adapter.message({ topic, payload: Buffer.from(payload), retained, at });
  const announced = say(`homeassistant/${platform}/it/config`, JSON.stringify({ ...options, device: { ids: "d" } }));
  const device = announced.flatMap((effect) => (effect.do === "device" ? [effect.device] : [])).at(-1);
  const heard = Object.entries(says).flatMap(([topic, payloads]) =>
    payloads.map((payload) => `${topic} ${short(payload)} = ${short(lines(say(topic, payload)).join("; "))}`),
  );
  const [[first = "", [kept = ""] = []] = []] = Object.entries(says);
  const later = passed.map((ms) => {
    at += ms;
    return `after ${at - REPLAY_START} ms = ${lines(adapter.passed?.(at) ?? []).join("; ")}`;
  });
  const sent = device === undefined ? [] : singles(device);
  return [
    ...lines(announced.filter((effect) => effect.do !== "device")),
    ...(device === undefined ? [] : [`${device.type} = ${device.name}, ${device.metrics.join(" ")}`]),
    ...(device === undefined ? [] : [`reports every = ${device.reportSeconds} s`]),
    ...Object.entries(Object(device?.commands?.properties) as object).map(
      ([word, schema]) => `takes ${word} = ${short(JSON.stringify(schema))}`,
    ),
    ...heard,
    ...(first === "" ? [] : [`retained ${first} = ${lines(say(first, kept, true)).join("; ")}`]),
    ...later,
    ...[...sent, ...commands].map(
      (command) => `${short(JSON.stringify(command))} = ${short(translated(adapter, "d", command))}`,
    ),
  ];
}

/** Two of a kind on one device: the names they get, and that each has its own messages and commands. */
function twice({ platform, options, says }: Case): string[] {
  const adapter = homeassistant.open({ prefix: null });
  const say = (topic: string, payload: string): readonly Effect[] =>
    adapter.message({ topic, payload: Buffer.from(payload), retained: false, at: REPLAY_START });
  const announced = ["one", "two"].flatMap((id) =>
    say(
      `homeassistant/${platform}/${id}/config`,
      JSON.stringify({
        ...Object.fromEntries(
          Object.entries(options).map(([key, value]) => [key, key.endsWith("topic") ? `${id}/${value}` : value]),
        ),
        device: { ids: "d" },
      }),
    ),
  );
  const device = announced.flatMap((effect) => (effect.do === "device" ? [effect.device] : [])).at(-1);
  if (device === undefined) return [];
  const heard = Object.entries(says).flatMap(([topic, [payload = ""]]) =>
    ["one", "two"].map((id) => {
      const effectLines = say(`${id}/${topic}`, payload).flatMap((effect) => written(adapter, effect));
      return `${id}/${topic} = ${short(effectLines.join("; "))}`;
    }),
  );
  return [
    `${device.type} = ${device.metrics.join(" ")}`,
    ...singles(device, 1).map((command) => `${JSON.stringify(command)} = ${short(translated(adapter, "d", command))}`),
    ...heard,
  ];
}

/** The result of a case, and the differences without each of its options. */
function inFull(one: Case): JsonObject {
  const full = comesTo(one);
  const known = new Set(full);
  const without = Object.keys(one.options).map((option) => {
    const less = comesTo({ ...one, options: { ...one.options, [option]: undefined } });
    const names = new Set(less.map(nameOf));
    const gone = full.map(nameOf).filter((name) => !names.has(name));
    return [option, [...less.filter((line) => !known.has(line)), ...gone.map((name) => `no ${name}`)]] as const;
  });
  return { full, twice: twice(one), without: Object.fromEntries(without.filter(([, lines]) => lines.length > 0)) };
}

if (process.env.GATEHOUSE_WRITE_IN_FULL === "1") {
  const found = Object.fromEntries(CASES.map((one) => [`${one.platform}: ${one.name}`, inFull(one)]));
  writeFileSync(FILE, fixtureText(found));
}

const wanted = JSON.parse(readFileSync(FILE, "utf8")) as JsonObject; // written by the line above

for (const platform of new Set(CASES.map((one) => one.platform)))
  t.test(`${platform}: every option`, async (t) => {
    for (const one of CASES.filter((candidate) => candidate.platform === platform))
      t.same(inFull(one), wanted[`${platform}: ${one.name}`], one.name);
  });
