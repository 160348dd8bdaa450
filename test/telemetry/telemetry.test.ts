import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos0, qos1, startTelemetry } from "./setup.ts";

const HOUR = 3_600_000;
const DAY = 86_400_000;

t.test("a sample is there once ingest has resolved, newest first, and after a restart", async (t) => {
  const folder = testFolder(t);
  const database = await openDatabase(folder);
  const { telemetry, clock, facts } = await startTelemetry(database);
  const now = clock.now();
  await telemetry.ingest("plug", [{ at: null, data: { watts: 5 } }], qos1(1, now));
  await telemetry.ingest("plug", [{ at: null, data: { watts: 6, note: "tab\tline\nzwölf" } }], qos1(2, now + 10));
  const expected = [
    { at: now + 10, data: { watts: 6, note: "tab\tline\nzwölf" } },
    { at: now, data: { watts: 5 } },
  ];
  t.same(telemetry.recent("plug", { limit: 10 }), expected);
  t.same(telemetry.recent("other", { limit: 10 }), []);
  t.same(
    facts.map(({ siteId, deviceId, at, data }) => ({ siteId, deviceId, at, data })),
    [
      { siteId: 1, deviceId: "plug", at: now, data: { watts: 5 } },
      { siteId: 1, deviceId: "plug", at: now + 10, data: { watts: 6, note: "tab\tline\nzwölf" } },
    ],
  );
  await telemetry.stop();
  const again = await startTelemetry(database, { clock });
  t.same(again.telemetry.recent("plug", { limit: 10 }), expected, "from the journal");
  await again.telemetry.compact();
  t.same(again.telemetry.recent("plug", { limit: 10 }), expected, "from a block");
  await again.telemetry.stop();
  await database.stop();
});

t.test("a device's own time counts if it is plausible", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock, trust } = await startTelemetry(database);
  const now = clock.now();
  const times: [number, number, string][] = [
    [now + 300_000, now + 300_000, "five minutes ahead"],
    [now + 300_001, now, "more than five minutes ahead"],
    [now - 90 * DAY, now - 90 * DAY, "90 days old"],
    [now - 90 * DAY - 1, now, "older than 90 days"],
    [Number.NaN, now, "no time at all"],
    [now - 1.5, now - 2, "a fraction of a millisecond"],
  ];
  for (const [i, [sent, kept, what]] of times.entries()) {
    const device = `d${i}`;
    await telemetry.ingest(device, [{ at: sent, data: { i } }], qos1(i + 1, now));
    t.same(
      telemetry.recent(device, { limit: 1 }).map((sample) => sample.at),
      [kept],
      what,
    );
  }
  trust.given = "unknown";
  await telemetry.ingest("late", [{ at: now - 1_000, data: {} }], qos1(9, now));
  t.equal(telemetry.recent("late", { limit: 1 })[0]?.at, now, "with an untrusted clock, the hub's time");
  await telemetry.stop();
  await database.stop();
});

t.test("equal data under one time is stored once, wherever the first copy is", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database);
  const at = clock.now() - HOUR;
  const ingest = (data: Record<string, unknown>, id: number) =>
    telemetry.ingest("plug", [{ at, data }], qos1(id, clock.now()));
  const count = () => telemetry.recent("plug", { limit: 100 }).length;
  await Promise.all([ingest({ a: 1, b: 2 }, 1), ingest({ a: 1, b: 2 }, 2)]);
  t.equal(count(), 1, "in one group commit");
  await ingest({ b: 2, a: 1 }, 3);
  t.equal(count(), 1, "in the journal, with the keys in another order");
  await telemetry.compact();
  await ingest({ a: 1, b: 2 }, 4);
  t.equal(count(), 1, "in a block");
  await ingest({ a: 1, b: 3 }, 5);
  t.equal(count(), 2, "other data under the same time is another sample");
  t.same(telemetry.energy("plug", { hours: 2, metric: "a", timeZone: "UTC", now: clock.now() }).series, [
    { at: at - (at % HOUR), avg: 1, max: 1 },
  ]);
  await telemetry.ingest("plug", [{ at, data: { a: 1, b: 2 } }], qos0(clock.now()));
  t.equal(count(), 2, "a QoS 0 message that is waiting");
  await telemetry.stop();
  await database.stop();
});

t.test("equal readings without a time of their own are separate readings", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database);
  const now = clock.now();
  const reading = { at: null, data: { watts: 5 } };
  await Promise.all([1, 2, 3].map((id) => telemetry.ingest("plug", [reading], qos1(id, now))));
  await telemetry.ingest("plug", [reading, reading], qos1(4, now));
  t.same(
    telemetry.recent("plug", { limit: 10 }).map((sample) => sample.at - now),
    [4, 3, 2, 1, 0],
  );
  await telemetry.stop();
  await database.stop();
});

t.test("a redelivered message is stored once", async (t) => {
  const folder = testFolder(t);
  const database = await openDatabase(folder);
  const clock = new FakeClock();
  let bench = await startTelemetry(database, { clock });
  const reading = [{ at: null, data: { watts: 5 } }];
  const count = () => bench.telemetry.recent("plug", { limit: 100 }).length;
  const restart = async () => {
    await bench.telemetry.stop();
    bench = await startTelemetry(database, { clock });
  };
  await bench.telemetry.ingest("plug", reading, qos1(7, clock.now()));
  await bench.telemetry.ingest("plug", reading, qos1(7, clock.now() + 50, { duplicate: true }));
  t.equal(count(), 1, "with the DUP flag");
  await bench.telemetry.ingest("plug", reading, qos1(7, clock.now() + 60));
  t.equal(count(), 2, "without it, on the same connection, it is a new reading under a used id");
  await restart();
  await bench.telemetry.ingest("plug", reading, qos1(7, clock.now() + 100, { duplicate: true }));
  t.equal(count(), 2, "after a restart, from the journal");
  await bench.telemetry.compact();
  await restart();
  await bench.telemetry.ingest("plug", reading, qos1(7, clock.now() + 200, { duplicate: true }));
  t.equal(count(), 2, "after a compaction and a restart");
  await bench.telemetry.ingest(
    "plug",
    [{ at: null, data: { watts: 6 } }],
    qos1(7, clock.now() + 300, { duplicate: true }),
  );
  t.equal(count(), 3, "another payload under the same id was never stored");
  await bench.telemetry.ingest("plug2", reading, qos1(7, clock.now(), { duplicate: true }));
  t.equal(bench.telemetry.recent("plug2", { limit: 5 }).length, 1, "another device's message");
  await Promise.all([
    bench.telemetry.ingest("plug", reading, qos1(8, clock.now() + 400)),
    bench.telemetry.ingest("plug", reading, qos1(8, clock.now() + 401, { duplicate: true })),
  ]);
  t.equal(count(), 4, "both in one group commit");
  await bench.telemetry.stop();
  await database.stop();
});

t.test(
  "after a broken connection a client may repeat without the DUP flag, but only before anything new",
  async (t) => {
    const database = await openDatabase(testFolder(t));
    const { telemetry, clock } = await startTelemetry(database);
    const reading = [{ at: null, data: { watts: 5 } }];
    const count = () => telemetry.recent("plug", { limit: 100 }).length;
    const send = (id: number, connection: { mayRepeat: boolean }) =>
      telemetry.ingest("plug", reading, qos1(id, clock.now(), { connection }));
    const first = { mayRepeat: false };
    for (const id of [101, 102, 103]) await send(id, first);
    t.equal(count(), 3);
    const second = { mayRepeat: true };
    for (const id of [102, 103]) await send(id, second);
    t.equal(count(), 3, "messages in flight come again");
    await send(104, second);
    await send(102, second);
    t.equal(count(), 5, "after something new, a used id is a new reading");
    const oneId = { mayRepeat: true };
    for (let n = 0; n < 3; n++) await send(104, oneId);
    t.equal(count(), 7, "a client that always uses one id: at most the first is taken for a repetition");
    await send(104, { mayRepeat: false });
    t.equal(count(), 8, "after an orderly end nothing is repeated");
    await send(1, { mayRepeat: true });
    await send(1, { mayRepeat: true });
    t.equal(count(), 10, "a client that counts from 1 has just been switched on");
    await telemetry.stop();
    await database.stop();
  },
);

t.test("limits of a message, and paging through samples of one time", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database);
  const at = clock.now() - 1_000;
  await t.rejects(telemetry.ingest("plug", [], qos1(1, at)), Problem);
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ at: at - Math.floor(i / 4), data: { i } }));
  await t.rejects(telemetry.ingest("plug", many(1_001), qos1(1, at)), Problem);
  await telemetry.ingest("plug", many(1_000), qos1(1, at));
  const all = telemetry.recent("plug", { limit: 1_000 });
  t.equal(all.length, 1_000);
  const paged: typeof all = [];
  for (let before: { at: number; skip: number } | undefined; ; ) {
    const page = telemetry.recent("plug", { limit: 333, ...(before ? { before } : {}) });
    if (page.length === 0) break;
    paged.push(...page);
    const last = page.at(-1)?.at ?? 0;
    const given = page.filter((sample) => sample.at === last).length;
    before = { at: last, skip: given + (before?.at === last ? before.skip : 0) };
    await telemetry.compact();
  }
  t.same(paged, all, "every sample once, across a compaction");
  t.same(
    telemetry.recent("plug", { limit: 1_000, sinceMs: at - 1 }).map((sample) => sample.at - at),
    [0, 0, 0, 0, -1, -1, -1, -1],
    "since is inclusive",
  );
  await telemetry.stop();
  await database.stop();
});

t.test("webhook reports: at once, then at most one per second with all samples since", async (t) => {
  const folder = testFolder(t);
  const database = await openDatabase(folder);
  const clock = new FakeClock();
  let bench = await startTelemetry(database, { clock, reported: true });
  const send = (watts: number) =>
    bench.telemetry.ingest("plug", [{ at: null, data: { watts } }], qos1(watts, clock.now()));
  const seen = () =>
    bench.reports.map((report) => report.data.samples.map((sample) => (sample.data as { watts: number }).watts));
  await send(1);
  t.same(seen(), [[1]]);
  for (const watts of [2, 3]) {
    clock.advance(100);
    await send(watts);
  }
  t.same(seen(), [[1]], "held back");
  clock.advance(800);
  await database.write(() => {});
  t.same(seen(), [[1], [2, 3]], "without a new sample, when the second is over");
  t.match(bench.reports[1], {
    siteId: 1,
    event: /^device\.telemetry$/,
    deviceId: /^plug$/,
    data: { at: new Date(clock.now() - 800).toISOString(), data: { watts: 3 } },
  });
  clock.advance(10);
  await send(4);
  await bench.telemetry.compact();
  await send(5);
  await bench.telemetry.stop();
  bench = await startTelemetry(database, { clock, reported: true });
  clock.advance(1_000);
  await database.write(() => {});
  t.same(seen(), [[4, 5]], "pending samples survive a compaction and a restart, and are reported once");
  await bench.telemetry.stop();
  bench = await startTelemetry(database, { clock, reported: true });
  clock.advance(5_000);
  await database.write(() => {});
  t.same(seen(), [], "nothing is reported twice after a restart");
  bench.taken.delete("device.telemetry");
  await send(6);
  await bench.telemetry.stop();
  bench = await startTelemetry(database, { clock, reported: true });
  clock.advance(5_000);
  await database.write(() => {});
  t.same(seen(), [], "samples that came without a listener are not reported later");
  await bench.telemetry.stop();
  await database.stop();
});

t.test("a removed device leaves nothing behind, even if messages of it are still waiting", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock, missing } = await startTelemetry(database);
  await telemetry.ingest("gone", [{ at: null, data: { watts: 1 } }], qos1(1, clock.now()));
  await telemetry.ingest("stays", [{ at: null, data: { watts: 1 } }], qos1(1, clock.now()));
  await telemetry.compact();
  await telemetry.ingest("gone", [{ at: null, data: { watts: 2 } }], qos1(2, clock.now()));
  missing.add("gone");
  const late = telemetry.ingest("gone", [{ at: null, data: { watts: 3 } }], qos1(3, clock.now()));
  await telemetry.removeDevice("gone");
  await late;
  missing.delete("gone");
  const [unwritten] = [
    telemetry.ingest("gone", [{ at: null, data: { watts: 4 } }], qos1(4, clock.now())),
    telemetry.ingest("stays", [{ at: null, data: { watts: 2 } }], qos1(2, clock.now())),
  ];
  missing.add("gone"); // removed by another path before the two are written together
  await unwritten;
  t.same(telemetry.recent("gone", { limit: 10 }), []);
  await telemetry.compact();
  t.equal(telemetry.recent("stays", { limit: 10 }).length, 2, "samples written with it are there");
  const rows = database.raw
    .prepare(
      "SELECT (SELECT count(*) FROM telemetry_device) AS devices, (SELECT count(*) FROM telemetry_block) AS blocks, (SELECT count(*) FROM telemetry_series) AS series, (SELECT count(*) FROM telemetry_hour) AS hours",
    )
    .get();
  t.same({ ...(rows as object) }, { devices: 1, blocks: 1, series: 1, hours: 1 });
  await telemetry.stop();
  const again = await startTelemetry(database, { clock });
  t.same(again.telemetry.recent("gone", { limit: 10 }), []);
  await again.telemetry.stop();
  await database.stop();
});

t.test("a device that invents metric names fills no more than 64 series", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database);
  for (let round = 0; round < 3; round++) {
    const data = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`m${round}_${i}`, i]));
    await telemetry.ingest(
      "plug",
      [{ at: null, data: { ...data, "no metric": 1, big: 1e300, text: "5", none: null } }],
      qos1(round + 1, clock.now()),
    );
    await telemetry.compact();
  }
  const rows = database.raw.prepare("SELECT metric FROM telemetry_series").all() as { metric: string }[];
  t.equal(rows.length, 64);
  t.notOk(rows.some((row) => ["no metric", "big", "text", "none"].includes(row.metric)));
  await telemetry.stop();
  await database.stop();
});

t.test("after a stop nothing runs any more, whether waiting to be written or reported", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock, reports } = await startTelemetry(database, { reported: true });
  await telemetry.ingest("plug", [{ at: null, data: { watts: 1 } }], qos1(1, clock.now()));
  await telemetry.ingest("plug", [{ at: null, data: { watts: 2 } }], qos1(2, clock.now()));
  await telemetry.ingest("plug", [{ at: null, data: { watts: 3 } }], qos0(clock.now()));
  t.equal(reports.length, 1);
  t.ok(clock.pending > 1);
  await telemetry.stop();
  t.equal(clock.pending, 0);
  clock.advance(10_000);
  t.equal(reports.length, 1);
  await telemetry.stop();
  await database.stop();
});
