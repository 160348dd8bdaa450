import fc from "fast-check";
import t from "tap";
import { esphome } from "../../../firmware-bridge/esphome/esphome.ts";
import type { Effect } from "../../../firmware-bridge/family.ts";
import { homeassistant } from "../../../firmware-bridge/homeassistant/homeassistant.ts";
import { objectsOf } from "../../../firmware-bridge/json-values.ts";
import { rightsOf } from "../../../firmware-bridge/rights.ts";
import { conversations, payloadText, REPLAY_START } from "../../support/conversation.ts";

const NO_TOPICS = { name: "", says: [], takes: [] };

/** Every discovery message of the recorded conversations. */
const DISCOVERIES = [...conversations("homeassistant"), ...conversations("esphome")].flatMap(({ steps }) =>
  steps.flatMap((step) =>
    "message" in step && step.message.topic.endsWith("/config")
      ? [{ topic: step.message.topic, payload: payloadText(step.message.payload) }]
      : [],
  ),
);

function keysOf(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) => (effect.do === "device" ? [effect.device.key] : []));
}

/** Truncates, swaps, doubles and replaces bits of a text. */
function mutated(text: string, cuts: readonly { at: number; length: number; put: string }[]): string {
  let result = text;
  for (const { at, length, put } of cuts) {
    const index = Math.floor(at * result.length);
    result = result.slice(0, index) + put + result.slice(index + length);
  }
  return result;
}

/** Replaces one member, at any depth, with another value; JSON stays JSON. */
function exchanged(text: string, which: number, value: unknown): string {
  const members = (text.match(/"(?:[^"\\\\]|\\\\.)*"\s*:/g) ?? []).length;
  let index = members === 0 ? -1 : which % members;
  return JSON.stringify(JSON.parse(text), (_, old: unknown) =>
    typeof old === "object" && old !== null && !Array.isArray(old) ? replaced(old) : old,
  );
  function replaced(object: object): object {
    return Object.fromEntries(Object.entries(object).map(([key, old]) => (index-- === 0 ? [key, value] : [key, old])));
  }
}

t.test("10,000 mutations of discovery neither throw nor make a device with an invalid id", async (t) => {
  const homes = [homeassistant, esphome].map((family) => family.open({ prefix: family.prefix }));
  const put = fc.oneof(
    fc.constantFrom(
      "",
      "{",
      "}",
      "[",
      '"',
      ",",
      "null",
      "1e999",
      "-1",
      "true",
      "{{",
      "}}",
      "%}",
      "~",
      "#",
      "+",
      "\\u0000",
      "__proto__",
      "constructor",
      "é",
      "😀",
    ),
    fc.string({ maxLength: 6 }),
  );
  const cut = fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), length: fc.nat({ max: 12 }), put });
  let problems = 0;
  let devices = 0;
  fc.assert(
    fc.property(
      fc.nat({ max: DISCOVERIES.length - 1 }),
      fc.array(cut, { minLength: 1, maxLength: 4 }),
      fc.nat({ max: 3 }),
      fc.jsonValue({ maxDepth: 2 }),
      (which, cuts, how, value) => {
        const { topic, payload } = DISCOVERIES[which] ?? { topic: "", payload: "" };
        const message = {
          topic: how === 0 ? mutated(topic, cuts.slice(0, 1)) : topic,
          payload: Buffer.from(
            how > 1 && payload.startsWith("{")
              ? exchanged(payload, which * 7 + cuts.length * how, value)
              : mutated(payload, cuts),
          ),
          retained: false,
          at: REPLAY_START,
        };
        for (const adapter of homes) {
          const effects = adapter.message(message);
          problems += effects.filter((effect) => effect.do === "problem" && effect.reason !== "").length;
          devices += keysOf(effects).length;
          for (const key of keysOf(effects)) {
            if (!/^[a-z0-9_-]{1,48}$/.test(key)) return false;
            for (const command of [
              { power: true },
              { position: 50 },
              { ch: 2, on: true },
              { target: 20 },
              { brightness: 3 },
            ])
              adapter.command(key, command);
          }
          for (const effect of effects)
            if (effect.do === "device" && JSON.stringify(effect.device.memo).length > 16_384) return false;
          if (which === 0) adapter.passed?.(REPLAY_START + 1e9);
        }
        return true;
      },
    ),
    { numRuns: 10_000 },
  );
  t.ok(problems > 500, `${problems} were reported with a reason`);
  t.ok(devices > 500, `${devices} times a device was understood all the same`);
  t.equal(Reflect.get({}, "polluted"), undefined);
});

t.test("values of any form on every announced topic are tolerated", async (t) => {
  const adapter = homeassistant.open({ prefix: "homeassistant" });
  const topics = new Set<string>();
  for (const { topic, payload } of DISCOVERIES) {
    for (const effect of adapter.message({ topic, payload: Buffer.from(payload), retained: true, at: REPLAY_START }))
      if (effect.do === "recall") for (const filter of effect.filters) topics.add(filter);
  }
  t.ok(topics.size > 30, `${topics.size} topics`);
  const value = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.string(),
    fc.constantFrom(
      "ON",
      "1e400",
      "NaN",
      "[".repeat(60_000),
      "x".repeat(70_000),
      '{"__proto__":{"polluted":true}}',
      '{"position":{"a":1}}',
      '{"state":"ON","color":{"r":"x"},"brightness":-5}',
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...topics), value, (topic, payload) => {
      const effects = adapter.message({ topic, payload: Buffer.from(payload), retained: false, at: REPLAY_START });
      return effects.every(
        (effect) => effect.do !== "telemetry" || Object.values(effect.data).every((number) => Number.isFinite(number)),
      );
    }),
    { numRuns: 5000 },
  );
  t.equal(Reflect.get({}, "polluted"), undefined);
});

t.test("large and deep announcements are bounded", async (t) => {
  const adapter = homeassistant.open({ prefix: "homeassistant" });
  const send = (topic: string, payload: string) =>
    adapter.message({ topic, payload: Buffer.from(payload), retained: false, at: REPLAY_START });
  t.hasStrict(send("homeassistant/sensor/a/config", "x".repeat(70_000)), [
    { do: "problem", reason: "the discovery message is too large" },
  ]);
  t.hasStrict(send("homeassistant/sensor/a/config", `{"dev":${"[".repeat(40)}${"]".repeat(40)}}`), [{ do: "problem" }]);
  const components = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`c${index}`, { p: "sensor", stat_t: `t/${index}` }]),
  );
  const [device] = send(
    "homeassistant/device/many/config",
    JSON.stringify({ dev: { ids: "many" }, o: { name: "x" }, cmps: components }),
  );
  t.ok(
    device?.do === "device" &&
      device.device.metrics.length <= 64 &&
      JSON.stringify(device.device.memo).length <= 16_384,
  );
  t.ok(device?.do === "device" && objectsOf(device.device.memo.components).length > 10);
});

t.test("learned data survives a restart, as far as the memo goes", async (t) => {
  const before = homeassistant.open({ prefix: "homeassistant" });
  const config = { name: "Pump", uniq_id: "1", cmd_t: "p/set", stat_t: "p/state", dev: { ids: "pump", name: "Pump" } };
  const effects = before.message({
    topic: "homeassistant/switch/pump/config",
    payload: Buffer.from(JSON.stringify(config)),
    retained: true,
    at: REPLAY_START,
  });
  const announced = effects.find((effect) => effect.do === "device");
  t.ok(announced?.do === "device");
  if (announced?.do !== "device") return;
  const after = homeassistant.open({ prefix: "homeassistant" });
  after.restore([{ key: "pump", memo: JSON.parse(JSON.stringify(announced.device.memo)) }]);
  t.same(after.command("pump", { power: true }), {
    publish: [{ topic: "p/set", payload: "ON", qos: 1 }],
    expects: { power: true },
  });
  t.same(after.message({ topic: "p/state", payload: Buffer.from("ON"), retained: true, at: REPLAY_START }), [
    { do: "state", key: "pump", patch: { power: true } },
  ]);
  const again = after.message({
    topic: "homeassistant/switch/pump/config",
    payload: Buffer.from(JSON.stringify(config)),
    retained: true,
    at: REPLAY_START,
  });
  t.same(
    again.filter((effect) => effect.do === "device"),
    [announced],
    "its announcement changes nothing",
  );
  t.same(rightsOf("homeassistant", new Map()).device(after.topics("pump") ?? NO_TOPICS), {
    publish: ["p/state", "homeassistant/switch/pump/config"],
    subscribe: ["p/set"],
  });
  after.forget("pump");
  t.match(after.command("pump", { power: true }), { unsupported: String });
});
