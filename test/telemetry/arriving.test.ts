import t from "tap";
import { type DeviceConnection, payloadCheck, RecentMessages } from "../../src/core/mqtt/redelivery.ts";
import { arrive } from "../../src/features/telemetry/arrival.ts";
import { Generation, METRICS_PER_DEVICE } from "../../src/features/telemetry/generation.ts";
import { PastChanges } from "../../src/features/telemetry/past-changes.ts";
import { SampleList } from "../../src/features/telemetry/sample.ts";
import { qos1 } from "./setup.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const QUARTER = 900_000;

t.test("a device's own time is accepted up to five minutes ahead and ninety days behind", async (t) => {
  const timeOf = (at: number | null, clockTrusted = true) => {
    const [sample] = arrive("plug", [{ at, data: { watts: 1 } }], qos1(1, NOW), clockTrusted).samples;
    return [sample?.own, sample?.at];
  };
  const [ahead, behind] = [NOW + 300_000, NOW - 90 * 86_400_000];
  t.same(timeOf(ahead), [true, ahead]);
  t.same(timeOf(ahead + 1), [false, NOW]);
  t.same(timeOf(behind), [true, behind]);
  t.same(timeOf(behind - 1), [false, NOW]);
  t.same(timeOf(null), [false, NOW]);
  t.same(timeOf(Number.NaN), [false, NOW]);
  t.same(timeOf(NOW - 0.5), [true, NOW - 1], "whole milliseconds");
  t.same(timeOf(NOW - 5, false), [false, NOW], "a hub that does not know the time cannot judge");
});

t.test("messages are recognized by all of their samples with their own times, and by nothing else", async (t) => {
  const checkOf = (samples: readonly { at: number | null; data: Record<string, unknown>; text?: string }[], at = NOW) =>
    arrive("plug", samples, qos1(1, at), true).check;
  const one = { at: null, data: { watts: 1 } };
  t.equal(checkOf([one]), checkOf([one], NOW + 60_000), "whenever it arrived");
  t.equal(checkOf([{ ...one, text: '{"watts":1}' }]), checkOf([one]));
  t.not(checkOf([one]), checkOf([{ ...one, at: NOW }]));
  t.not(checkOf([one, { at: null, data: { watts: 2 } }]), checkOf([{ at: null, data: { watts: 2 } }, one]));
  t.not(checkOf([one]), checkOf([one, one]));
});

t.test("the fast path of the check agrees with the full one, for texts of any length and letter", async (t) => {
  const twice = (text: string): void => {
    const whole = payloadCheck(null, text, 7);
    t.equal(payloadCheck(null, text, 7), whole);
    t.not(payloadCheck(null, `${text} `, 7), whole);
    t.not(payloadCheck(null, text, 8), whole);
    t.not(payloadCheck(0, text, 7), whole);
    t.ok(whole >= 0 && Number.isInteger(whole));
  };
  for (const text of ["", "{}", '{"watts":1}', "x".repeat(256), "x".repeat(257), '{"name":"Küche"}', "अ".repeat(300)])
    twice(text);
  const { crc32 } = await import("node:zlib");
  for (const text of ["", "{}", "~\u007f", "x".repeat(256), "x".repeat(257), "\u0080", "ü"])
    t.equal(payloadCheck(null, text, 7), crc32(`\t${text}\n`, 7), text.slice(0, 9));
  t.equal(payloadCheck(5, "{}", 7), crc32("5\t{}\n", 7));
});

t.test("an unmarked repetition is accepted at the start after a broken connection, and each once", async (t) => {
  const recent = new RecentMessages();
  for (const id of [16, 17, 18, 19]) recent.remember(id, id * 10);
  const broke = (): DeviceConnection => ({ mayRepeat: true });
  const again = (
    connection: DeviceConnection | null,
    id: number,
    { check = id * 10, duplicate = false } = {},
  ): boolean => recent.isRedelivery({ check, duplicate, connection }, id, []);
  const first = broke();
  t.equal(again(first, 17), true);
  t.equal(again(first, 18), true);
  t.equal(again(first, 18), false, "an equal reading under a used id");
  t.equal(again(first, 19), false, "and nothing after something new");
  t.equal(again(first, 19, { duplicate: true }), true, "but with the mark");
  t.equal(again(first, 19, { duplicate: true, check: 5 }), false, "of the same content");
  t.equal(again(broke(), 16), false, "a client that was switched on counts from 1");
  t.equal(again(broke(), 16, { duplicate: true }), true);
  t.equal(again(broke(), 17, { check: 5 }), false);
  const second = broke();
  t.equal(again(second, 17, { check: 5 }), false);
  t.equal(again(second, 18), false, "something new came first");
  t.equal(again({ mayRepeat: false }, 17), false);
  t.equal(again(null, 17), false);
  t.equal(again(null, 17, { duplicate: true }), true);
  t.equal(again(null, 20, { duplicate: true }), false, "an id that was never used");
  const storing = recent.isRedelivery({ check: 1, duplicate: true, connection: null }, 17, [
    { messageId: 17, check: 1 },
  ]);
  t.equal(storing, true, "messages of the running write job take precedence over remembered ones");
  recent.remember(17, 999);
  t.equal(again(null, 17, { duplicate: true }), false, "the last of an id counts");
});

t.test("an unmarked repetition is recognised after messages that could not be stored", async (t) => {
  const recent = new RecentMessages();
  for (const id of [65_530, 40, 41, 60, 61]) recent.remember(id, id * 10);
  const connection: DeviceConnection = { mayRepeat: true };
  const again = (id: number, on = connection): boolean =>
    recent.isRedelivery({ check: id * 10, duplicate: false, connection: on }, id, []);
  t.equal(again(39), false, "it could not be stored");
  recent.remember(39, 390);
  t.equal(again(40), true);
  t.equal(again(42), false, "nor could this one");
  recent.remember(42, 420);
  t.equal(again(60), true);
  t.equal(again(62), false, "a new message");
  recent.remember(62, 620);
  t.equal(again(61), false, "nothing is a repetition after it");
  const rebooted: DeviceConnection = { mayRepeat: true };
  t.equal(again(1, rebooted), false);
  t.equal(again(60, rebooted), false, "a client that was just switched on counts from 1");
  const elsewhere: DeviceConnection = { mayRepeat: true };
  t.equal(again(30_000, elsewhere), false);
  t.equal(again(60, elsewhere), false, "or from anywhere");
});

t.test("what the journal repeats of the remembered messages takes no room of others", async (t) => {
  const before = new RecentMessages();
  for (let id = 1; id <= 400; id++) before.remember(id, id);
  const recent = new RecentMessages();
  recent.unpack(before.pack());
  for (let id = 101; id <= 500; id++) recent.replay(id, id); // 101 to 400 came before the list was written
  const isKnown = (id: number): boolean =>
    recent.isRedelivery({ check: id, duplicate: true, connection: null }, id, []);
  t.ok(isKnown(1) && isKnown(250) && isKnown(500));
});

t.test("samples are ordered by time, and those of one time by arrival", async (t) => {
  const list = new SampleList();
  for (const [at, text] of [
    [20, "b"],
    [10, "a"],
    [30, "d"],
    [20, "c"],
    [5, "0"],
  ] as const)
    list.insert(at, text);
  t.same(
    list.samples.map(({ text }) => text),
    ["0", "a", "b", "c", "d"],
  );
  t.equal(list.length, 5);
  t.equal(list.chars, 5);
  t.same(
    list.range(10, 20).map(({ text }) => text),
    ["a", "b", "c"],
    "both ends are included",
  );
  t.same(list.range(21, 29), []);
  const held = new SampleList();
  held.insert(10, '{"a":1,"b":2}');
  held.insert(20, '{"a":1}');
  t.equal(held.has(10, '{"b":2,"a":1}'), true, "in any order of the keys");
  t.equal(held.has(10, '{"b":1,"a":2}'), false);
  t.equal(held.has(20, '{"b":2,"a":1}'), false, "of another time");
  t.equal(held.has(30, '{"a":1}'), false);
  t.equal(held.has(15, '{"a":1}'), false);
  held.insert(30, '{"a":[1,2]}');
  t.equal(held.has(30, '{"a":[2,1]}'), false);
});

t.test("roll-ups hold count, sum, maximum and minimum of each quarter hour", async (t) => {
  const generation = new Generation();
  const add = (at: number, data: Record<string, unknown>, ref = 1): void =>
    generation.add(ref, { at, text: JSON.stringify(data) });
  const hour = Math.floor(NOW / 3_600_000);
  add(NOW, { watts: 4 });
  add(NOW + QUARTER - 1, { watts: -2, on: true, name: "x", huge: 2e290, edge: 1e290 });
  add(NOW + QUARTER, { watts: 7 });
  add(NOW + 3 * QUARTER, { watts: 1 });
  add(NOW + 4 * QUARTER, { watts: 9 });
  const rollups = generation.rollups.get(1);
  t.same([...(rollups?.get("watts")?.get(hour) ?? [])], [2, 2, 4, -2, 1, 7, 7, 7, 0, 0, 0, 0, 1, 1, 1, 1]);
  t.same([...(rollups?.get("watts")?.get(hour + 1) ?? [])].slice(0, 5), [1, 9, 9, 9, 0]);
  t.same([...(rollups?.keys() ?? [])], ["watts", "edge"]);
  t.equal(generation.count, 5);
  const { chars } = generation;
  t.equal(chars, generation.lists.get(1)?.chars);
  add(NOW, { watts: 1 }, 2);
  generation.forget(1);
  t.same([generation.count, generation.chars, generation.rollups.has(1)], [1, '{"watts":1}'.length, false]);
  generation.forget(7);
  t.equal(generation.count, 1);
  const younger = new Generation();
  younger.lastRow = 9;
  younger.add(2, { at: NOW, text: '{"watts":3}' });
  generation.lastRow = 4;
  generation.absorb(younger);
  t.same([generation.count, generation.lastRow], [2, 9]);
  t.same([...(generation.rollups.get(2)?.get("watts")?.get(hour) ?? [])].slice(0, 4), [2, 4, 3, 1]);
});

t.test("64 metrics of a device are rolled up, if their names can be queried", async (t) => {
  const generation = new Generation();
  const data = Object.fromEntries(Array.from({ length: METRICS_PER_DEVICE + 1 }, (_, n) => [`m${n}`, n]));
  generation.add(1, { at: NOW, text: JSON.stringify(data) });
  generation.add(1, { at: NOW, text: JSON.stringify({ m0: 1, [`m${METRICS_PER_DEVICE}`]: 1 }) });
  const rollups = generation.rollups.get(1);
  t.equal(rollups?.size, METRICS_PER_DEVICE);
  t.equal(rollups?.has(`m${METRICS_PER_DEVICE}`), false);
  const names = new Generation();
  const odd = { a: 1, "1a": 1, "a b": 1, ["x".repeat(32)]: 1, ["x".repeat(33)]: 1, a_1: 1 };
  names.add(1, { at: NOW, text: JSON.stringify(odd) });
  t.same([...(names.rollups.get(1)?.keys() ?? [])], ["a", "x".repeat(32), "a_1"]);
});

t.test("a change of the past is one before the quarter hour of the newest sample", async (t) => {
  const past = new PastChanges();
  const changes = (act: () => void): boolean => {
    const before = past.of(1);
    act();
    return past.of(1) !== before;
  };
  t.equal(
    changes(() => past.arrived(1, NOW)),
    true,
    "nothing before the start is remembered",
  );
  t.equal(
    changes(() => past.arrived(1, NOW + 1)),
    false,
  );
  t.equal(
    changes(() => past.arrived(1, NOW + QUARTER)),
    false,
    "the next quarter",
  );
  t.equal(
    changes(() => past.arrived(1, NOW + QUARTER)),
    false,
  );
  t.equal(
    changes(() => past.arrived(1, NOW + QUARTER - 1)),
    true,
    "late",
  );
  t.equal(
    changes(() => past.arrived(1, NOW + QUARTER)),
    false,
    "the newest stays the newest",
  );
  t.equal(
    changes(() => past.arrived(2, NOW)),
    false,
    "another device",
  );
  t.equal(
    changes(() => past.rewritten()),
    true,
  );
});
