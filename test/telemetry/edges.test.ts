/** The parts of telemetry in full at the edges of their capacity: order, places in a ring, ends of spans. */
import { crc32 } from "node:zlib";
import t from "tap";
import { RecentMessages } from "../../src/core/mqtt/redelivery.ts";
import { arrive } from "../../src/features/telemetry/arrival.ts";
import { packBlock } from "../../src/features/telemetry/block-format.ts";
import { Generation } from "../../src/features/telemetry/generation.ts";
import { History } from "../../src/features/telemetry/history.ts";
import { Intake } from "../../src/features/telemetry/intake.ts";
import { LineWriter } from "../../src/features/telemetry/line-writer.ts";
import { Overlaps } from "../../src/features/telemetry/overlaps.ts";
import { evictOldest } from "../../src/features/telemetry/retention.ts";
import type { Sample } from "../../src/features/telemetry/sample.ts";
import { StoredSamples } from "../../src/features/telemetry/stored-samples.ts";
import { qos0, qos1, tablesOf } from "./setup.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const DAY = 86_400_000;
const sample = (at: number, n = 0): Sample => ({ at, text: `{"n":${n}}` });

t.test("an incoming message holds what arrived, and nothing that is found out later", async (t) => {
  const connection = { mayRepeat: true };
  t.same(arrive("plug", [{ at: NOW - 1, data: { n: 1 } }], { ...qos1(7, NOW), connection }, true), {
    kind: "message",
    deviceId: "plug",
    messageId: 7,
    duplicate: false,
    connection,
    check: crc32(`${NOW - 1}\t{"n":1}\n`),
    samples: [{ own: true, at: NOW - 1, text: '{"n":1}', data: { n: 1 } }],
    isTold: false,
    ref: 0,
    siteId: 0,
    pending: false,
    newest: null,
  });
  const none = arrive("plug", [], { ...qos0(NOW), duplicate: true }, true, true);
  t.same([none.connection, none.check, none.samples, none.isTold, none.duplicate], [null, 0, [], true, true]);
});

t.test("an empty generation has nothing, nor has one that forgot its device", async (t) => {
  const empty = { lists: new Map(), rollups: new Map(), powers: new Map(), lastRow: 0, count: 0, chars: 0 };
  const generation = new Generation();
  t.same({ ...generation }, empty);
  generation.add(1, { at: NOW, text: '{"watts":5,"watts2":6,"n":7}' });
  t.same(generation.powers.get(1)?.get("watts2"), { times: [NOW], watts: [6] });
  t.equal(generation.powers.get(1)?.has("n"), false);
  generation.forget(1);
  t.same({ ...generation }, empty);
});

t.test("the new samples of a message are kept in order, wherever the known ones are", async (t) => {
  const stored = new Set([`${NOW - 2} {"n":2}`]);
  const intake = () =>
    new Intake({
      refOf: () => 5,
      recentOf: () => null,
      stored: () => ({ has: (at, text) => stored.has(`${at} ${text}`) }),
      registry: { siteOf: (deviceId) => (deviceId === "gone" ? null : 3) },
      reports: { wanted: () => true },
    });
  const own = (...numbers: number[]) => numbers.map((n) => ({ at: NOW - n, data: { n } }));
  for (const [sent, kept] of [
    [
      [4, 3, 2, 1],
      [4, 3, 1],
    ],
    [[2, 4], [4]],
    [[4, 2], [4]],
    [
      [4, 3, 4, 1],
      [4, 3, 1],
    ],
    [[2], []],
    [
      [4, 3],
      [4, 3],
    ],
  ] as const) {
    const found = intake();
    found.take(arrive("plug", own(...sent), qos1(1, NOW), true));
    const name = sent.join();
    const samples = found.messages.flatMap((message) => message.samples);
    t.same([...samples.map(({ at }) => NOW - at)], kept, name);
    t.same(found.fresh.get(5)?.samples ?? [], samples, name);
    t.equal(found.duplicates, sent.length - kept.length, name);
    t.same(
      found.messages.map((message) => message.newest?.at),
      kept.length > 0 ? [NOW - Math.min(...kept)] : [],
      name,
    );
  }
  const found = intake();
  for (const [deviceId, id, duplicate] of [
    ["plug", 1, false],
    ["plug", 1, true],
    ["plug", 2, true],
    ["gone", 1, false],
  ] as const)
    found.take(arrive(deviceId, [{ at: null, data: { id } }], qos1(id, NOW, { duplicate }), true));
  t.same([found.messages.length, found.duplicates], [2, 1], "one again within the group");
  t.same(
    found.messages.map(({ ref, siteId, pending }) => [ref, siteId, pending]),
    Array(2).fill([5, 3, true]),
  );
  t.same([...found.refs], [["plug", 5]]);
  const equal = intake();
  for (const id of [1, 2, 3]) equal.take(arrive("plug", [{ at: null, data: { n: 2 } }], qos1(id, NOW - 3), true));
  t.same(
    equal.messages.flatMap(({ samples }) => samples.map(({ at }) => at - NOW)),
    [-3, -1, 0],
    "equal readings at one moment are moved on, past the stored ones",
  );
});

t.test("text written digit by digit is whole wherever the buffer ends", async (t) => {
  const long = 1_234_567_890_123_456;
  for (let before = 0; before <= 16; before++) {
    const writer = new LineWriter();
    t.equal(writer.written().length, 0);
    for (let n = 0; n < before; n++) writer.addNumber(n % 10);
    for (let n = 0; n < 4_097; n++) writer.addNumber(long);
    const whole = Array.from({ length: before }, (_, n) => n % 10).join("") + String(long).repeat(4_097);
    if (writer.written().toString() !== whole) t.fail(`after ${before} digits`);
  }
});

t.test("remembered messages are packed oldest first, 512 of them at most", async (t) => {
  const ids = (count: number): number[] => {
    const recent = new RecentMessages();
    for (let id = 1; id <= count; id++) recent.remember(id, id + 70_000);
    const packed = recent.pack();
    return Array.from({ length: packed.length / 6 }, (_, n) => {
      t.equal(packed.readUInt32LE(n * 6 + 2), packed.readUInt16LE(n * 6) + 70_000);
      return packed.readUInt16LE(n * 6);
    });
  };
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);
  t.same(ids(0), []);
  t.same(ids(3), [1, 2, 3]);
  for (const count of [511, 512, 513, 600, 1_200])
    t.same(ids(count), from(Math.max(1, count - 511), count), `${count}`);
  const cut = new RecentMessages();
  cut.unpack(Buffer.concat([Buffer.from([1, 0, 2, 0, 0, 0]), Buffer.alloc(5, 9)]));
  t.same(cut.pack(), Buffer.from([1, 0, 2, 0, 0, 0]), "truncated ones are left out");
});

t.test("a connection on which something new came stays one, even beside another", async (t) => {
  const recent = new RecentMessages();
  for (const id of [17, 18]) recent.remember(id, id);
  const [one, other] = [{ mayRepeat: true }, { mayRepeat: true }];
  const again = (connection: { mayRepeat: boolean }, id: number, check: number, duplicate = false) =>
    recent.isRedelivery({ check, duplicate, connection }, id, []);
  t.same([again(one, 20, 1), again(other, 20, 1)], [false, false], "something new on both");
  t.same([again(one, 17, 17), again(one, 17, 17, true), again(one, 17, 5, true)], [false, true, false]);
});

t.test("adjacent blocks do not overlap, in whatever order they were written", async (t) => {
  const { database, tables, ref, put, spans } = await tablesOf(t);
  const overlaps = new Overlaps(database, tables.blocks, { unreadable: { block: () => {} }, replaced: () => {} });
  const times = (from: number, to: number, count: number) =>
    Array.from({ length: count }, (_, n) => [sample(NOW + from, n), sample(NOW + to, n)]);
  await put(...times(0, 100, 5), ...times(-100, 0, 5));
  await overlaps.merge(ref, [{ fromAt: NOW - 100, toAt: NOW + 100 }]);
  t.equal(spans().length, 10);
  await put(...times(0, 100, 4), ...times(100, 200, 2));
  await overlaps.merge(ref, [{ fromAt: NOW - 100, toAt: NOW + 100 }]);
  t.same(spans(), [
    ...times(-100, 0, 5).map(() => [NOW - 100, NOW, 2]),
    ...times(100, 200, 2).map(() => [NOW + 100, NOW + 200, 2]),
    [NOW, NOW + 100, 18],
  ]);
});

t.test("room is made 200 blocks at a time", async (t) => {
  const { database, tables, put } = await tablesOf(t);
  await put(...Array.from({ length: 201 }, (_, n) => [sample(NOW + n)]));
  const evict = () => evictOldest({ database, tables, keepAfterMs: NOW + 201 });
  t.same([await evict(), await evict(), await evict()], [200, 1, 0]);
});

t.test("the newest samples are found however blocks overlap", async (t) => {
  const { tables, ref, put } = await tablesOf(t);
  await put([sample(NOW, 1), sample(NOW + 100, 2)], [sample(NOW + 80, 3), sample(NOW + 90, 4)], [sample(NOW - 9, 5)]);
  const unreadable: number[] = [];
  const history = new History(tables, { blockSoon: (id) => unreadable.push(id) });
  const recent = (query: Parameters<History["recent"]>[2], extra: Sample[] = []) =>
    history.recent(ref, [], query, extra).map(({ at, data }) => [at - NOW, data.n]);
  t.same(recent({ limit: 2 }), [
    [100, 2],
    [90, 4],
  ]);
  t.same(recent({ limit: 9 }), [
    [100, 2],
    [90, 4],
    [80, 3],
    [0, 1],
    [-9, 5],
  ]);
  t.same(recent({ limit: 9, sinceMs: NOW + 80, before: { at: NOW + 100, skip: 1 } }), [
    [90, 4],
    [80, 3],
  ]);
  t.same(recent({ limit: 1, sinceMs: NOW + 100 }, [sample(NOW + 100, 6), sample(NOW + 99, 7)]), [[100, 6]]);
  t.same(
    history
      .range(ref, [], NOW, NOW + 90)
      .map(({ at }) => at - NOW)
      .sort((left, right) => left - right),
    [0, 80, 90],
  );
  const forward = (afterMs: number, limit: number) =>
    history.oldestFirst(ref, [], { afterMs: NOW + afterMs, toMs: NOW + 100, limit }).map(({ at }) => at - NOW);
  t.same([forward(-10, 1), forward(-9, 1), forward(-9, 2), forward(80, 9)], [[-9], [0], [0, 80], [90, 100]]);
  await put([sample(NOW + 200, 1), sample(NOW + 200, 2), sample(NOW + 201, 3)]);
  t.equal(history.oldestFirst(ref, [], { afterMs: NOW + 100, toMs: NOW + 300, limit: 1 }).length, 2, "one time, whole");
  t.same(unreadable, []);
});

t.test("stored samples are read back one day at first, then twice as far, and none twice", async (t) => {
  const ends = [NOW, NOW - DAY, NOW - DAY - 1, NOW - 3 * DAY - 1, NOW - 3 * DAY - 2];
  const asked: (readonly number[])[] = [];
  const times = await Promise.all(ends.map(async (at) => (await packBlock([sample(at, 1)])).times));
  const stored = new StoredSamples(9, {
    live: undefined,
    frozen: undefined,
    newest: NOW,
    blocks: {
      endingWithin: (device, fromMs, toMs, limit) => {
        asked.push([device, NOW - fromMs, Math.min(NOW + 1, toMs) - NOW, limit]);
        return ends
          .map((at, id) => ({ id, fromAt: at, toAt: at, count: 1, bytes: 1 }))
          .filter(({ toAt }) => toAt >= fromMs && toAt <= toMs)
          .reverse();
      },
      times: (id) => times[id] ?? null,
    },
    history: { samplesOf: (id) => [sample(ends[id] ?? 0, 1)] },
  });
  const has = (at: number) => stored.has(at, '{"n":1}');
  t.same([has(NOW + 1), asked.length], [false, 0], "after the newest");
  t.same([has(NOW), has(NOW - 1), has(NOW - DAY)], [true, false, true]);
  t.same(asked, [[9, DAY, 1, 8_192]]);
  t.equal(has(NOW - DAY - 1), true);
  t.same(asked.slice(1), [[9, 3 * DAY + 1, -DAY - 1, 8_190]]);
  t.same([has(NOW - 3 * DAY - 1), asked.length], [true, 2]);
  t.same([has(NOW - 3 * DAY - 2), has(NOW - 3 * DAY - 3)], [true, false]);
  t.same(asked.slice(2), [[9, 7 * DAY + 2, -3 * DAY - 2, 8_188]]);
  for (const [n, at] of ends.entries()) t.equal(has(at), true, `${n}`);
});
