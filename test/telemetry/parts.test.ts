import t, { type Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { blockRow, cutIntoBlocks, packBlock, unpackBlock } from "../../src/features/telemetry/block-format.ts";
import { eachBlockValue } from "../../src/features/telemetry/block-values.ts";
import { DevicePower, inOrder } from "../../src/features/telemetry/device-power.ts";
import { packJournal, unpackJournal } from "../../src/features/telemetry/journal-format.ts";
import { LineWriter } from "../../src/features/telemetry/line-writer.ts";
import { Overlaps } from "../../src/features/telemetry/overlaps.ts";
import { Reports } from "../../src/features/telemetry/reports.ts";
import { agedSamples, agedSums, evictOldest, keepQuota } from "../../src/features/telemetry/retention.ts";
import { type Sample, SampleList } from "../../src/features/telemetry/sample.ts";
import { testBase } from "../support/base.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { EveryDevice, ListingOutbox } from "../support/stand-ins.ts";
import { type Reported, tablesOf } from "./setup.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const sample = (at: number, n = 0): Sample => ({ at, text: `{"n":${n}}` });

t.test("text is concatenated as join would, at any place of the buffer and with any content", async (t) => {
  const writer = new LineWriter();
  const numbers = [0, 9, 10, 99, 100, 999, 1_000, 9_999, 10_000, 99_999, 100_000, 999_999, 1_000_000, 9_999_999];
  numbers.push(10_000_000, 99_999_999, 100_000_000, 999_999_999, 1e9, 1e9 + 1, 123_000_000_045, 2 ** 53 - 1, 2 ** 53);
  numbers.push(-1, 1.5, 1e21);
  const texts = ["", "a", "\u007f", "\u0080", "ü", "a".repeat(127), "b".repeat(128), "c".repeat(129), "अ".repeat(128)];
  for (const [size, room] of [
    [65_536 - 20, 40],
    [0, 0],
    [131_072 - 17, 20],
  ] as const) {
    for (let before = size; before <= size + room; before++) {
      writer.clear();
      const pad = "x".repeat(before);
      writer.add(pad);
      writer.addNumber(numbers[before % numbers.length] ?? 0);
      writer.add(texts[before % texts.length] ?? "");
      const whole = `${pad}${numbers[before % numbers.length]}${texts[before % texts.length]}`;
      if (writer.written().toString() !== whole) t.fail(`after ${before} bytes`);
    }
  }
  writer.clear();
  for (const number of numbers) writer.addNumber(number);
  for (const text of texts) writer.add(text);
  t.equal(writer.written().toString(), numbers.join("") + texts.join(""));
  writer.clear();
  t.equal(writer.written().length, 0);
});

t.test("a journal row of 400 bytes and more is deflated, one byte less is not", async (t) => {
  const row = (length: number) => {
    const text = `{"t":"${"x".repeat(length)}"}`;
    return {
      kind: "message",
      ref: 1,
      messageId: 2,
      check: 3,
      pending: false,
      samples: [{ at: 4, text, own: true }],
    } as const;
  };
  const plainLength = packJournal([row(0)]).length - 5;
  const forms = [399, 400].map((length) => packJournal([row(length - plainLength)])[0]);
  t.same(forms, [2, 3]);
  const packed = packJournal([row(500)]);
  t.ok(packed.length < 100);
  t.same(unpackJournal(packed), [row(500)]);
  for (const spoilt of [[4], [9], [2, 0, 0, 0, 0, 120], [0, 122, 10]])
    t.throws(() => unpackJournal(Buffer.from(spoilt)), spoilt.join());
  t.same(unpackJournal(packJournal([{ kind: "reported", ref: 5 }])), [{ kind: "reported", ref: 5 }]);
});

t.test("times of blocks: steps of any size, and anything but a block is an error", async (t) => {
  const times = [0, 0, 127, 255, 255 + 128, 17_000, 2 ** 31, 2 ** 33, NOW].map((at, n) => sample(at, n));
  const packed = await packBlock(times);
  t.same(unpackBlock(packed), times);
  t.match(packed, { fromAt: 0, toAt: NOW, count: 9 });
  t.equal(blockRow(7, packed).bytes, packed.times.length + packed.samples.length);
  const other = await packBlock(times.slice(1));
  const seen: number[][] = [];
  eachBlockValue(packed, "n", (at, value) => seen.push([at, value]));
  t.same(
    seen,
    times.map(({ at }, n) => [at, n]),
    "each number with its time",
  );
  eachBlockValue(packed, "m", () => t.fail("no such metric"));
  const mixed = { times: packed.times, samples: other.samples };
  t.throws(() => unpackBlock(mixed), { message: "telemetry block: 9 times for 8 samples" });
  t.throws(() => eachBlockValue(mixed, "n", () => {}), { message: "telemetry block: 9 times for 8 samples" });
  const wordy = await packBlock([{ at: 1, text: "5" }]);
  t.throws(() => unpackBlock(wordy), { message: "telemetry block: a sample is no object" });
  t.throws(() => unpackBlock({ ...wordy, samples: wordy.samples.subarray(1) }));
  const none = await packBlock([{ at: 1, text: "null" }]);
  t.throws(() => unpackBlock(none), { message: "telemetry block: a sample is no object" });
  const long = (length: number) => ({ at: 1, text: "x".repeat(length) });
  t.same(
    cutIntoBlocks([long(262_143), long(1), long(1)]).map(({ length }) => length),
    [2, 1],
    "256 Ki of text fill a block",
  );
  t.same(cutIntoBlocks([]), []);
});

t.test("from forty samples of one time on they are still recognized", async (t) => {
  for (const crowd of [1, 39, 40, 41, 42]) {
    const list = new SampleList();
    list.insert(NOW - 1, '{"n":0}');
    list.insert(NOW + 1, '{"n":0}');
    for (let n = 0; n < crowd; n++) list.insert(NOW, `{"n":${n},"m":"x"}`);
    for (let n = 0; n < crowd; n++) if (!list.has(NOW, `{"m":"x","n":${n}}`)) t.fail(`${n} of ${crowd} is there`);
    t.equal(list.has(NOW, `{"n":${crowd},"m":"x"}`), false, `of ${crowd}`);
    t.equal(list.has(NOW, '{"n":0}'), false);
    t.same(
      [list.has(NOW - 1, '{"n":0}'), list.has(NOW + 1, '{"n":0}'), list.has(NOW + 2, '{"n":0}')],
      [true, true, false],
    );
    list.insert(NOW, `{"n":${crowd},"m":"x"}`);
    t.equal(list.has(NOW, `{"n":${crowd},"m":"x"}`), true, "later arrivals are recognized too");
    t.equal(list.length, crowd + 3);
    t.equal(
      list.chars,
      list.samples.reduce((sum, { text }) => sum + text.length, 0),
    );
  }
  const nested = new SampleList();
  for (let n = 0; n < 50; n++) nested.insert(NOW, `{"a":[${n},{"y":null,"x":"${n}"}],"b":1}`);
  t.equal(nested.has(NOW, '{"b":1,"a":[49,{"x":"49","y":null}]}'), true);
  t.equal(nested.has(NOW, '{"b":1,"a":[{"x":"49","y":null},49]}'), false, "lists have an order");
  t.equal(nested.has(NOW, '{"b":1,"a":[49,{"x":49,"y":null}]}'), false);
});

t.test("points are sorted by time, and those of one time stay as they came", async (t) => {
  const points = { times: [1, 2, 2, 3], watts: [1, 2, 3, 4] };
  t.equal(inOrder(points), points, "already in order");
  t.same(inOrder({ times: [3, 1, 2, 1], watts: [1, 2, 3, 4] }), { times: [1, 1, 2, 3], watts: [2, 4, 3, 1] });
  t.same(inOrder({ times: [], watts: [] }), { times: [], watts: [] });
  const power = new DevicePower(new Map([["watts", { at: NOW, watts: 60 }]]));
  power.addPoints("watts", { times: [NOW - 1, NOW + 60_000, NOW + 120_000], watts: [9, 60, 60] }, 1, 2);
  t.same([...power.last], [["watts", { at: NOW + 60_000, watts: 60 }]]);
  const wh = () => [...(power.wattHours.get("watts")?.values() ?? [])].flatMap((hour) => [...hour])[0];
  t.equal(wh(), 1, "continues the earlier count up to its end");
  power.add([
    { at: NOW - HOUR, text: '{"watts":6}' },
    { at: NOW, text: '{"volts":6,"name":"watts"}' },
  ]);
  t.same([...power.last], [["watts", { at: NOW + 60_000, watts: 60 }]], "a late one is not the newest");
  power.add([{ at: NOW + 60_000, text: '{"watts":80}' }]);
  t.same([...power.last], [["watts", { at: NOW + 60_000, watts: 80 }]], "the last of one time is");
});

/** Reports of telemetry with everything around them visible. */
async function reporting(t: Test) {
  const clock = new FakeClock(NOW);
  const world = { site: 1 as number | null, writes: 0, warned: [] as object[] };
  const { database } = await tablesOf(t);
  const logger = { ...silentLogger, warn: (fields: object) => world.warned.push(fields) };
  const base = { ...testBase(database, clock), logger };
  const outbox = new ListingOutbox(base);
  outbox.taken.add("device.telemetry");
  const reports = new Reports(base, {
    registry: new EveryDevice(base, () => world.site),
    outbox,
    requestWrite: () => {
      world.writes += 1;
    },
  });
  const sent = outbox.reports as Reported[]; // what telemetry reports
  const fresh = (samples: readonly Sample[], ref = 1) => new Map([[ref, { deviceId: "plug", samples }]]);
  const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => sample(NOW + from + n, from + n));
  return { clock, world, sent, reports, fresh, many, taken: outbox.taken };
}

t.test("a report is due a gap after the last one, holds a thousand samples, and leaves the rest pending", async (t) => {
  const { clock, world, sent, reports, fresh, many } = await reporting(t);
  t.equal(reports.due, false);
  const first = reports.plan(fresh(many(1_001)));
  t.equal(reports.isHandingOver, true);
  t.same(first.entries, [
    { kind: "reported", ref: 1 },
    { kind: "carried", ref: 1, samples: many(1, 1_000) },
  ]);
  first.committed(5);
  await Promise.resolve();
  t.equal(reports.isHandingOver, false);
  t.same([sent.length, sent[0]?.data.samples.length, sent[0]?.at], [1, 1_000, NOW]);
  t.equal(reports.due, false, "its second is not over");
  reports.arm();
  clock.advance(999);
  t.same([world.writes, reports.due], [0, false]);
  clock.advance(1);
  t.same([world.writes, reports.due], [1, true]);
  t.same(reports.carryOver(4), []);
  t.same(reports.carryOver(5), [{ kind: "carried", ref: 1, samples: [{ ...sample(NOW + 1_000, 1_000), row: 5 }] }]);
  reports.carried(5, 9);
  t.same([reports.carryOver(8).length, reports.carryOver(9).length], [0, 1]);
  const second = reports.plan(new Map());
  t.same(second.entries, [{ kind: "reported", ref: 1 }]);
  second.committed(10);
  t.same(sent[1]?.data, {
    at: new Date(NOW + 1_000).toISOString(),
    data: { n: 1_000 },
    samples: [{ at: new Date(NOW + 1_000).toISOString(), data: { n: 1_000 } }],
  });
  t.same([reports.due, reports.carryOver(99)], [false, []]);
  clock.advance(10);
  const held = reports.plan(fresh([sample(NOW + 5, 5)]));
  t.same(held.entries, [], "too soon");
  t.equal(reports.carryOver(99).length, 0, "nothing is pending before the commit");
  held.committed(11);
  t.equal(reports.carryOver(11).length, 1);
  reports.arm();
  reports.arm();
  clock.advance(990);
  t.equal(world.writes, 2, "once");
  reports.settle(1);
  t.equal(reports.due, false);
  t.same(reports.plan(new Map()).entries, []);
  t.equal(sent.length, 2);
  reports.addPending(1, "plug", many(1), 12);
  reports.arm();
  t.equal(clock.pending, 1);
  reports.stop();
  t.equal(clock.pending, 0);
});

t.test(
  "exactly a thousand samples leave none pending; a report's newest is its latest, of equals the last",
  async (t) => {
    const { clock, sent, reports, fresh, many } = await reporting(t);
    const plan = reports.plan(fresh(many(1_000)));
    t.same(plan.entries, [{ kind: "reported", ref: 1 }]);
    plan.committed(1);
    clock.advance(1_000);
    reports.arm();
    t.equal(clock.pending, 0, "an idle device is forgotten");
    await Promise.resolve();
    t.equal(reports.isHandingOver, false);
    reports.plan(fresh([sample(NOW + 9, 1), sample(NOW + 9, 2), sample(NOW + 8, 3)])).committed(2);
    t.equal(reports.isHandingOver, true, "one sample is enough");
    t.same([sent[1]?.deviceId, sent[1]?.siteId, sent[1]?.event], ["plug", 1, "device.telemetry"]);
    t.same(sent[1]?.data.data, { n: 2 });
  },
);

t.test("unwanted reports are handed to no one, and a removed device is skipped", async (t) => {
  const { clock, world, sent, reports, fresh, many, taken } = await reporting(t);
  t.equal(reports.wanted("plug"), true);
  taken.delete("device.telemetry");
  t.equal(reports.wanted("plug"), false);
  t.same(reports.plan(fresh(many(1))).entries, [{ kind: "reported", ref: 1 }]);
  clock.advance(2_000);
  taken.add("device.telemetry");
  world.site = null;
  t.equal(reports.wanted("plug"), false);
  t.same(reports.plan(fresh(many(1))).entries, [{ kind: "reported", ref: 1 }]);
  t.same(sent, []);
});

t.test("a device is at most 20,000 samples ahead of its deliveries", async (t) => {
  const { world, reports, many } = await reporting(t);
  reports.addPending(1, "plug", many(20_000), 1);
  t.same(world.warned, []);
  reports.addPending(1, "plug", many(2, 20_000), 2);
  t.same(world.warned, [{ deviceId: "plug", dropped: 2 }]);
  const [entry] = reports.carryOver(2);
  const samples = entry !== undefined && "samples" in entry ? entry.samples : [];
  t.same([samples.length, samples[0]?.at, samples.at(-1)?.at], [20_000, NOW + 2, NOW + 20_001]);
});

t.test("nine blocks over one moment become one, eight stay, and only overlapping ones count", async (t) => {
  const { database, tables, ref, put, spans } = await tablesOf(t);
  const aside: number[] = [];
  const replaced: number[][] = [];
  const merge = (shift = 0) =>
    new Overlaps(database, tables.blocks, {
      unreadable: {
        block: (id) => {
          aside.push(id);
          tables.blocks.remove(id);
        },
      },
      replaced: (ids) => replaced.push([...ids]),
    }).merge(ref, [{ fromAt: NOW + shift, toAt: NOW + 100 + shift }]);
  const over = (n: number) => [sample(NOW + n, n), sample(NOW + 100 - n, n)];
  await put(...Array.from({ length: 8 }, (_, n) => over(n)));
  await put(
    [sample(NOW - 50), sample(NOW)],
    [sample(NOW + 100), sample(NOW + 150)],
    [sample(NOW + 50, 1)],
    [sample(NOW + 50, 2)],
  );
  const before = spans();
  await merge();
  t.same(spans(), before, "eight, and some that end, begin or have no length there");
  await put([sample(NOW + 49, 9), sample(NOW + 51, 9)]);
  await merge(-200);
  t.equal(spans().length, 13, "nothing new overlaps them");
  await merge();
  const beside = [
    [NOW - 50, NOW, 2],
    [NOW + 100, NOW + 150, 2],
    [NOW + 50, NOW + 50, 1],
    [NOW + 50, NOW + 50, 1],
  ];
  t.same(spans(), [...beside, [NOW, NOW + 100, 18]]);
  t.equal(replaced.length, 1);
  const merged = tables.blocks.content(tables.blocks.overlapping(ref, NOW + 1, NOW + 2)[0]?.id ?? 0);
  t.same(
    unpackBlock(merged ?? { times: Buffer.alloc(0), samples: Buffer.alloc(0) })
      .map(({ at, text }) => [at - NOW, text])
      .slice(7, 11),
    [
      [7, '{"n":7}'],
      [49, '{"n":9}'],
      [51, '{"n":9}'],
      [93, '{"n":7}'],
    ],
    "by time",
  );
  await put(...Array.from({ length: 9 }, (_, n) => over(n)));
  database.raw
    .prepare("UPDATE telemetry_block SET samples = x'00ff' WHERE id = (SELECT max(id) FROM telemetry_block)")
    .run();
  await merge();
  t.equal(aside.length, 1, "an unreadable one is set aside");
  t.same(spans(), [...beside, [NOW, NOW + 100, 18 + 16]]);
});

t.test("32 blocks are merged at once and 256 in all", async (t) => {
  const { database, tables, ref, put } = await tablesOf(t);
  const replaced: number[] = [];
  const overlaps = new Overlaps(database, tables.blocks, {
    unreadable: { block: () => {} },
    replaced: (ids) => replaced.push(ids.length),
  });
  await put(...Array.from({ length: 280 }, (_, n) => [sample(NOW - n, n), sample(NOW + n + 1, n)]));
  await overlaps.merge(ref, [{ fromAt: NOW, toAt: NOW + 1 }]);
  t.same(replaced, Array(8).fill(32));
  await overlaps.merge(ref, [{ fromAt: NOW, toAt: NOW + 1 }]);
  t.equal(replaced.length, 8);
});

t.test("samples are removed by age to the millisecond, oldest first, up to the given number", async (t) => {
  const { database, tables, put } = await tablesOf(t);
  const retention = () => ({ rawDays: 2, hourlyDays: 3, maxMegabytes: 1_000 });
  const samples = agedSamples({ database, tables, retention, now: () => NOW, series: () => [] });
  t.same([samples.kind, samples.setting, samples.keepDays()], ["samples", "telemetry.rawDays", 2]);
  const ends = [NOW, NOW - 2 * DAY, NOW - 2 * DAY - 1, NOW - 5 * DAY, NOW - 3 * DAY];
  await put(...ends.map((at) => [sample(at - DAY), sample(at)]));
  const counts = async () => [await samples.held(), await samples.due(2), await samples.due(3)];
  t.same(await counts(), [5, 3, 1]);
  t.equal(await samples.remove(0), 0);
  t.equal(await samples.remove(2), 2);
  const left = () => tables.blocks.oldest(9).map(({ toAt }) => toAt);
  t.same(left(), [NOW - 2 * DAY - 1, NOW - 2 * DAY, NOW]);
  t.equal(await samples.remove(9), 1);
  t.equal(await samples.remove(9), 0);
  t.equal(await evictOldest({ database, tables, keepAfterMs: NOW - 2 * DAY }), 0);
  t.equal(await evictOldest({ database, tables, keepAfterMs: NOW }), 1);
  t.same(left(), [NOW]);
});

t.test("the quota is kept to the byte, removing no more than needed", async (t) => {
  const { database, tables, put, ref } = await tablesOf(t);
  await put([sample(NOW - 3)], [sample(NOW - 1)], [sample(NOW - 2)]);
  const bytes = tables.blocks.figures().bytes + 3 * 200;
  const keep = (maxBytes: number) =>
    keepQuota({
      database,
      tables,
      retention: () => ({ rawDays: 1, hourlyDays: 1, maxMegabytes: maxBytes / 1_048_576 }),
      now: () => NOW,
      series: () => series,
    });
  const series: number[] = [];
  t.same(await keep(bytes), { blocks: 0, hours: 0 });
  const [oldest] = tables.blocks.oldest(1);
  t.same(await keep(bytes - (oldest?.bytes ?? 0) - 200), { blocks: 1, hours: 0 });
  t.same(
    tables.blocks.oldest(9).map(({ toAt }) => toAt),
    [NOW - 2, NOW - 1],
  );
  const hour = Math.floor(NOW / HOUR);
  await database.write(() => {
    for (const metric of ["a", "b"]) series.push(tables.devices.seriesOf(ref, metric));
    for (const id of series)
      for (const ago of [400, 300, 232, 231, 1, 0]) tables.hours.add(id, hour - ago, new Float64Array(16));
  });
  await keep(0);
  t.equal(tables.blocks.figures().blocks, 0);
  t.same(
    series.map((id) => tables.hours.oldest(id)),
    [hour, hour],
    "samples of this hour stay",
  );
  await database.write(() => {
    for (const id of series)
      for (const ago of [400, 300, 233, 232, 231, 1]) tables.hours.add(id, hour - ago, new Float64Array(16));
  });
  t.same(await keep(14 * 150), { blocks: 0, hours: 0 }, "within it");
  t.same(await keep(14 * 150 - 1), { blocks: 0, hours: 6 }, "a week from the oldest on");
  t.same(
    series.map((id) => tables.hours.oldest(id)),
    [hour - 232, hour - 232],
  );
  const sums = agedSums({
    database,
    tables,
    retention: () => ({ rawDays: 1, hourlyDays: 1, maxMegabytes: 1 }),
    now: () => NOW + HOUR - 1,
    series: () => series,
  });
  t.same([sums.kind, sums.setting], ["sums", "telemetry.hourlyDays"]);
  t.same([sums.keepDays(), await sums.held(), await sums.due(1), await sums.due(0)], [1, 8, 4, 6]);
  t.equal(await sums.remove(3), 3);
  t.equal(await sums.remove(3), 1);
  t.same(
    series.map((id) => tables.hours.oldest(id)),
    [hour - 1, hour - 1],
  );
});
