import fc from "fast-check";
import t from "tap";
import { sameJson } from "../../../src/core/kernel/json-object.ts";
import {
  changedKeys,
  isDeeperThan,
  mergePatch,
  mergeState,
  stateTooLarge,
  valuesOf,
  withValues,
} from "../../../src/features/devices/rules/device-state.ts";
import { vitalsOf } from "../../../src/features/devices/rules/vitals.ts";

t.test("merges like the examples of RFC 7396, appendix A", async (t) => {
  const examples: [string, string, string][] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ];
  for (const [target, patch, result] of examples)
    t.same(mergePatch(JSON.parse(target), JSON.parse(patch)), JSON.parse(result), `${target} + ${patch}`);
});

const json = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>);

/** The pseudocode of RFC 7396 §2 on Maps, so that no key is special. */
function reference(target: unknown, patch: unknown): unknown {
  if (!(patch instanceof Map)) return patch;
  const result = new Map<string, unknown>(target instanceof Map ? target : []);
  for (const [key, value] of patch) {
    if (value === null) result.delete(key);
    else result.set(key, reference(result.get(key), value));
  }
  return result;
}

function toMaps(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return new Map(
    Object.entries(value)
      .filter(([key]) => key !== "__proto__")
      .map(([key, member]) => [key, toMaps(member)]),
  );
}

t.test("agrees with the algorithm of RFC 7396 for any two objects, and changes neither", async () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      const merged = mergePatch(target, patch);
      if (JSON.stringify([target, patch]) !== before) throw new Error("an argument was changed");
      const expected = JSON.stringify([...flatten(reference(toMaps(target), toMaps(patch)))].sort());
      if (JSON.stringify([...flatten(toMaps(merged))].sort()) !== expected)
        throw new Error(`${JSON.stringify(merged)} is not the merge`);
    }),
    { numRuns: 500 },
  );
});

function* flatten(value: unknown, path = ""): Generator<string> {
  if (value instanceof Map) {
    yield `${path}{}`;
    for (const [key, member] of value) yield* flatten(member, `${path}/${encodeURIComponent(String(key))}`);
  } else yield `${path}=${JSON.stringify(value)}`;
}

t.test("a second merge of the same message changes nothing and keeps the very same object", async () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const first = mergeState(mergeState({}, target).state, patch).state;
      const second = mergeState(first, patch);
      if (second.changed.length !== 0 || second.state !== first) throw new Error(`changed ${second.changed.join()}`);
    }),
    { numRuns: 300 },
  );
});

t.test("keys that reach prototypes are harmless", async (t) => {
  const message = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1}},"toString":null}',
  ) as Record<string, unknown>;
  const { state } = mergeState({}, message);
  t.equal(Object.getPrototypeOf(state), Object.prototype);
  t.equal(({} as Record<string, unknown>).polluted, undefined);
  t.equal((state.a as Record<string, unknown>).polluted, undefined);
  t.same(Object.keys(state), ["constructor", "a"]);
  t.same(mergeState({}, JSON.parse('{"hasOwnProperty":true}') as Record<string, unknown>).changed, ["hasOwnProperty"]);
});

t.test("names the top-level keys that changed, and their previous values", async (t) => {
  const before = { power: true, watts: 5, mode: { a: 1 }, gone: 1 };
  const { state, changed } = mergeState(before, { power: true, watts: 6, mode: { b: 2 }, gone: null, fresh: [1] });
  t.same(changed, ["watts", "mode", "fresh", "gone"]);
  t.same(valuesOf(before, changed), { watts: 5, mode: { a: 1 }, fresh: null, gone: 1 });
  t.same(state, { power: true, watts: 6, mode: { a: 1, b: 2 }, fresh: [1] });
  t.same(changedKeys({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), []);
});

t.test("restores values, including keys that were absent", async (t) => {
  const before = { power: true, mode: { a: 1 } };
  const after = { power: false, mode: { b: 2 }, fresh: 1, other: 3 };
  t.same(withValues(after, valuesOf(before, ["power", "mode", "fresh"])), { ...before, other: 3 });
  t.same(after, { power: false, mode: { b: 2 }, fresh: 1, other: 3 }, "of its own");
});

t.test("compares JSON by value", async (t) => {
  t.ok(sameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }));
  t.notOk(sameJson([1, 2], [2, 1]));
  t.notOk(sameJson([], {}));
  t.notOk(sameJson({ a: undefined }, { b: undefined }));
  t.notOk(sameJson(null, {}));
});

t.test("measures depth without recursing into deep values", async (t) => {
  t.notOk(isDeeperThan({}, 1));
  t.ok(isDeeperThan({ a: {} }, 1));
  t.notOk(isDeeperThan({ a: { b: [1] } }, 3));
  t.ok(isDeeperThan({ a: { b: [[1]] } }, 3));
  t.ok(isDeeperThan(JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`), 16));
});

t.test("refuses states that would fill the hub", async (t) => {
  const many = Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, 1]));
  t.hasStrict(stateTooLarge(many, JSON.stringify(many)), { code: "refusal.state.tooManyKeys", limit: 512 });
  const large = { a: "é".repeat(20_000) };
  t.hasStrict(stateTooLarge(large, JSON.stringify(large)), { code: "refusal.state.tooLarge", limit: 32_768 });
  t.equal(stateTooLarge({ a: 1 }, '{"a":1}'), null);
  const { k512: _, ...most } = many as Record<string, unknown>; // not undefined, and so a plain record
  t.equal(stateTooLarge(most, JSON.stringify(most)), null, "512 keys are not too many");
  const bytes = (count: number) => ({ a: "x".repeat(count - '{"a":""}'.length) });
  t.equal(stateTooLarge(bytes(32_768), JSON.stringify(bytes(32_768))), null);
  t.hasStrict(stateTooLarge(bytes(32_769), JSON.stringify(bytes(32_769))), {
    code: "refusal.state.tooLarge",
    limit: 32_768,
  });
});

t.test("finds battery and signal under their usual names, in percent", async (t) => {
  t.same(vitalsOf({ battery: 87.4, linkquality: 255 }), { battery: 87, signal: 100 });
  t.same(vitalsOf({ rssi: -75 }), { signal: 50 });
  t.same(vitalsOf({ rssi: -120 }), { signal: 0 });
  t.same(vitalsOf({ battery_level: 3, signal: 40 }), { battery: 3, signal: 40 });
  t.same(vitalsOf({ battery: "low", rssi: true, temperature: 20 }), {});
  t.same(vitalsOf({ battery: 3300 }), {});
  t.same(
    ["battery", "batteryPercent", "battery_level", "batteryLevel"].map((key) => vitalsOf({ [key]: 7 }).battery),
    [7, 7, 7, 7],
  );
  t.same(
    [-1, 0, 100, 101].map((battery) => vitalsOf({ battery }).battery),
    [undefined, 0, 100, undefined],
  );
  t.same(
    [
      { signal: -75 },
      { signal: 0 },
      { lqi: 51 },
      { linkquality: 300 },
      { rssi: 0 },
      { rssi: 60 },
      { wifiRssi: -60 },
    ].map((data) => vitalsOf(data).signal),
    [50, 0, 20, 100, 0, 60, 80],
    "decibels below nothing, percent above, and quality of 255",
  );
});
