import { randomBytes } from "node:crypto";
import { join } from "node:path";
import t from "tap";
import { Problem } from "../../src/kernel/problem.js";
import { QUIET_WRITE_MS } from "../../src/kernel/quiet-writes.js";
import { removeAllDue } from "../support/aged.js";
import { openDatabase } from "../support/database.js";
import { FakeClock } from "../support/fake-clock.js";
import { qos0, qos1, startTelemetry } from "./setup.js";

const HOUR = 3_600_000;
const DAY = 86_400_000;

t.test("a sample is there once ingest has resolved, newest first, and after a restart", async (t) => {
  const folder = t.testdir();
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

t.test("messages of one group commit share one journal row", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database);
  const now = clock.now();
  await Promise.all(
    Array.from({ length: 200 }, (_, i) => telemetry.ingest(`d${i % 7}`, [{ at: null, data: { i } }], qos1(i + 1, now))),
  );
  const rows = database.raw.prepare("SELECT count(*) AS n FROM telemetry_journal").get() as { n: number };
  t.equal(rows.n, 1);
  t.equal(telemetry.recent("d0", { limit: 1000 }).length, 29);
  await telemetry.stop();
  await database.stop();
});

t.test("under load a group waits for more, and one that has grown large for nothing", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database, { settings: { groupMs: 3_000 } });
  let id = 0;
  const send = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        telemetry.ingest(`d${id % 7}`, [{ at: null, data: { id } }], qos1(++id, clock.now())),
      ),
    );
  await send(50); // the load
  const since = performance.now();
  const waits = send(10);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const rows = () => database.raw.prepare("SELECT count(*) FROM telemetry_journal").pluck().get();
  t.equal(rows(), 1, "ten more wait");
  await Promise.all([waits, send(250)]);
  t.equal(rows(), 2, "they share the large one's row");
  t.ok(performance.now() - since < 2_500, "which did not wait for the rest of the time");
  await telemetry.stop();
  await database.stop();
});

t.test("QoS 0 is seen at once and written within five seconds", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database);
  await telemetry.ingest("plug", [{ at: null, data: { watts: 1 } }], qos0(clock.now()));
  t.equal(telemetry.recent("plug", { limit: 10 }).length, 1);
  t.equal(telemetry.energy("plug", { hours: 1, metric: "watts", timeZone: "UTC", now: clock.now() }).series.length, 1);
  const rows = () => (database.raw.prepare("SELECT count(*) AS n FROM telemetry_journal").get() as { n: number }).n;
  t.equal(rows(), 0, "not on disk yet");
  clock.advance(5_000);
  await database.write(() => {}); // the same group commit or a later one
  t.equal(rows(), 1);
  t.equal(telemetry.recent("plug", { limit: 10 }).length, 1, "once");
  await telemetry.stop();
  await database.stop();
});

t.test("what waits is written by stop", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database);
  await telemetry.ingest("plug", [{ at: null, data: { watts: 1 } }], qos0(clock.now()));
  await telemetry.stop();
  const again = await startTelemetry(database, { clock });
  t.equal(again.telemetry.recent("plug", { limit: 10 }).length, 1);
  await again.telemetry.stop();
  await database.stop();
});

t.test("a device's own time counts when it is plausible", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock, world } = await startTelemetry(database);
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
  world.clockTrusted = false;
  await telemetry.ingest("late", [{ at: now - 1_000, data: {} }], qos1(9, now));
  t.equal(telemetry.recent("late", { limit: 1 })[0]?.at, now, "with a clock that is not trusted, the hub's time");
  await telemetry.stop();
  await database.stop();
});

t.test("equal data under one time is stored once, wherever the first one is", async (t) => {
  const database = await openDatabase(t.testdir());
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
  t.equal(count(), 2, "a QoS 0 message that waits");
  await telemetry.stop();
  await database.stop();
});

t.test("equal readings without a time of their own are several readings", async (t) => {
  const database = await openDatabase(t.testdir());
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

t.test("a message that is delivered again is stored once", async (t) => {
  const folder = t.testdir();
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
    const database = await openDatabase(t.testdir());
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
    t.equal(count(), 3, "what was in flight comes again");
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
  const database = await openDatabase(t.testdir());
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
  const folder = t.testdir();
  const database = await openDatabase(folder);
  const clock = new FakeClock();
  let bench = await startTelemetry(database, { clock, webhooks: true });
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
    event: "device.telemetry",
    deviceId: "plug",
    data: { at: new Date(clock.now() - 800).toISOString(), data: { watts: 3 } },
  });
  clock.advance(10);
  await send(4);
  await bench.telemetry.compact();
  await send(5);
  await bench.telemetry.stop();
  bench = await startTelemetry(database, { clock, webhooks: true });
  clock.advance(1_000);
  await database.write(() => {});
  t.same(seen(), [[4, 5]], "owed samples survive a compaction and a restart, and are reported once");
  await bench.telemetry.stop();
  bench = await startTelemetry(database, { clock, webhooks: true });
  clock.advance(5_000);
  await database.write(() => {});
  t.same(seen(), [], "nothing is reported twice after a restart");
  bench.world.webhooks = false;
  await send(6);
  await bench.telemetry.stop();
  bench = await startTelemetry(database, { clock, webhooks: true });
  clock.advance(5_000);
  await database.write(() => {});
  t.same(seen(), [], "what came while nobody listened is not reported later");
  await bench.telemetry.stop();
  await database.stop();
});

t.test("a removed device leaves nothing behind, also when messages of it still wait", async (t) => {
  const database = await openDatabase(t.testdir());
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
  missing.add("gone"); // removed by another way before the two are written together
  await unwritten;
  t.same(telemetry.recent("gone", { limit: 10 }), []);
  await telemetry.compact();
  t.equal(telemetry.recent("stays", { limit: 10 }).length, 2, "what was written with it is there");
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

t.test("retention removes old samples and old roll-ups, and keeps the quota oldest first", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database, { settings: { maxBytes: 20_000 } });
  const now = clock.now();
  const day = (days: number) => [{ at: now - days * DAY, data: { watts: days } }];
  for (const [id, days] of [40, 36, 34, 1].entries()) await telemetry.ingest("plug", day(days), qos1(id + 1, now));
  await telemetry.compact();
  for (const history of telemetry.aged) await removeAllDue(history);
  t.same(
    telemetry.recent("plug", { limit: 10 }).map((sample) => sample.data),
    [{ watts: 1 }, { watts: 34 }],
  );
  const energy = telemetry.energy("plug", { hours: 2_160, metric: "watts", timeZone: "UTC", now });
  t.same(
    energy.series.map((bucket) => bucket.max),
    [40, 36, 34, 1],
    "roll-ups outlive the samples",
  );
  const noise = () => ({
    text: Array.from({ length: 400 }, () => Math.floor(Math.random() * 36).toString(36)).join(""),
  });
  for (let hour = 0; hour < 100; hour += 10) {
    await telemetry.ingest(
      "noisy",
      Array.from({ length: 10 }, (_, i) => ({ at: now - (100 - hour - i) * HOUR, data: noise() })),
      qos1(100 + hour, now),
    );
    await telemetry.compact();
  }
  const samples = Array.from({ length: 500 }, (_, i) => ({ at: now - 500 + i, data: noise() }));
  await telemetry.ingest("noisy", samples, qos1(2_000, now));
  await telemetry.compact();
  const before = telemetry.figures();
  t.ok(before.blockBytes > 20_000, "over the quota");
  await telemetry.sweep();
  const kept = telemetry.figures();
  t.ok(kept.blockBytes <= 20_000, "at the quota");
  t.equal(
    telemetry.recent("plug", { limit: 10 }).filter((sample) => sample.data.watts === 34).length,
    0,
    "the oldest went first",
  );
  await telemetry.stop();
  await database.stop();
});

t.test(
  "as many old roll-ups go at a time as were asked for, of all devices together, and none that is due later",
  async (t) => {
    const database = await openDatabase(t.testdir());
    const { telemetry, clock } = await startTelemetry(database, { settings: { hourlyDays: 10 } });
    const now = clock.now();
    const hours = [...Array.from({ length: 30 }, (_, hour) => 12 * 24 - hour), 10 * 24]; // the last one is due in an hour
    for (const device of ["plug", "meter"])
      await telemetry.ingest(
        device,
        hours.map((ago) => ({ at: now - ago * HOUR, data: { watts: ago } })),
        qos1(1, now),
      );
    await telemetry.compact();
    const sums = telemetry.aged.find(({ kind }) => kind === "sums");
    if (sums === undefined) throw new Error("no roll-ups");
    const counts = async () => [await sums.held(), await sums.due(10)];
    t.same(await counts(), [62, 60]);
    t.equal(await sums.remove(7), 7);
    t.same(await counts(), [55, 53]);
    t.equal(await sums.remove(100), 53);
    t.same(await counts(), [2, 0]);
    t.equal(await sums.remove(100), 0);
    clock.advance(HOUR);
    t.equal(await sums.remove(100), 2);
    await telemetry.stop();
    await database.stop();
  },
);

t.test("a journal at its limit is compacted by itself; readers see every sample once at any moment", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database, { settings: { journalSamples: 40 } });
  const start = clock.now();
  for (let i = 0; i < 130; i++) {
    clock.advance(1);
    await telemetry.ingest("plug", [{ at: null, data: { i } }], qos1(i + 1, clock.now()));
    if (telemetry.recent("plug", { limit: 1_000 }).length !== i + 1) t.fail(`after ${i + 1} samples`);
  }
  t.ok(telemetry.figures().blockSamples >= 40, "compacted meanwhile");
  const energy = telemetry.energy("plug", { hours: 1, metric: "i", timeZone: "UTC", now: clock.now() });
  t.same(energy.series, [{ at: start, avg: 129 / 2, max: 129 }], "and the roll-ups count each once");
  await telemetry.stop();
  await database.stop();
});

t.test("a journal is compacted with the sample that fills it, and not before", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database, { settings: { journalSamples: 3 } });
  for (const i of [1, 2, 3]) {
    t.equal(telemetry.figures().journalSamples, i - 1);
    await telemetry.ingest("plug", [{ at: null, data: { i } }], qos1(i, clock.now()));
    clock.advance(1);
  }
  while (telemetry.figures().blockSamples < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  t.equal(telemetry.figures().journalSamples, 0);
  await telemetry.stop();
  await database.stop();
});

t.test(
  "roll-ups over the quota go from the oldest on, whichever device they are of, and no more than it takes",
  async (t) => {
    const database = await openDatabase(t.testdir());
    // 1,136 roll-ups of the 1,200
    const { telemetry, clock } = await startTelemetry(database, { settings: { maxBytes: 170_400 } });
    const hours = 30 * 24;
    const now = clock.now();
    for (const [device, late] of [
      ["plug", 0],
      ["meter", 10 * 24],
    ] as const) {
      const samples = Array.from({ length: hours - late }, (_, i) => ({
        at: now - (hours - late - i) * HOUR,
        data: { watts: i },
      }));
      await telemetry.ingest(device, samples, qos1(1, now));
    }
    await telemetry.compact();
    const kept = () =>
      database.raw
        .prepare(
          "SELECT series, count(*) AS hours, min(hour) AS oldest FROM telemetry_hour GROUP BY series ORDER BY series",
        )
        .all();
    t.match(kept(), [{ hours }, { hours: hours - 10 * 24 }]);
    await telemetry.sweep();
    const [plug, meter] = kept() as { hours: number; oldest: number }[];
    t.equal(plug?.hours, hours - 7 * 24, "the plug's first week went");
    t.equal(meter?.hours, hours - 10 * 24, "the meter has nothing that old");
    await telemetry.stop();
    await database.stop();
  },
);

t.test("what waits for the disk has a limit: a message beyond it is refused for now", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database);
  const sample = [{ at: null, data: { watts: 1 } }];
  const waiting = Array.from({ length: 20_000 }, (_, n) =>
    telemetry.ingest("plug", sample, qos1(n % 65_535, clock.now())),
  );
  await t.rejects(telemetry.ingest("plug", sample, qos1(65_535, clock.now())), {
    code: "unavailable",
    headers: { "Retry-After": "1" },
  });
  t.equal(telemetry.figures().refused, 1);
  await Promise.all(waiting);
  await telemetry.ingest("plug", sample, qos1(65_535, clock.now()));
  t.equal(telemetry.figures().received, 20_002);
  await telemetry.stop();
  await database.stop();
});

t.test("a device that invents metric names fills no more than 64 series", async (t) => {
  const database = await openDatabase(t.testdir());
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

t.test("what could not be stored was not acknowledged, and is taken when it comes again", async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(t.testdir(), clock);
  const { telemetry } = await startTelemetry(database, { clock });
  const reading = [{ at: null, data: { watts: 5 } }];
  const pages = database.raw.pragma("page_count", { simple: true });
  database.raw.pragma(`max_page_count = ${pages}`);
  const big = [{ at: null, data: { text: randomBytes(400_000).toString("base64") } }];
  await t.rejects(telemetry.ingest("plug", big, qos1(1, clock.now())), { code: "storage_full" });
  t.same(telemetry.recent("plug", { limit: 10 }), []);
  database.raw.pragma("max_page_count = 1000000");
  clock.advance(10_000);
  await telemetry.ingest("plug", reading, qos1(2, clock.now()));
  await telemetry.ingest("plug", big, qos1(1, clock.now(), { duplicate: true }));
  t.equal(telemetry.recent("plug", { limit: 10 }).length, 2);
  await telemetry.stop();
  await database.stop();
});

t.test(
  "a journal row and a block that cannot be read are kept aside and named; everything else is there",
  async (t) => {
    const database = await openDatabase(t.testdir());
    const first = await startTelemetry(database);
    const { clock } = first;
    const ingest = (bench: typeof first, watts: number) =>
      bench.telemetry.ingest("plug", [{ at: null, data: { watts } }], qos1(watts, clock.now() + watts));
    const watts = (bench: typeof first) => bench.telemetry.recent("plug", { limit: 100 }).map(({ data }) => data.watts);
    for (const n of [1, 2, 3]) await ingest(first, n);
    await first.telemetry.stop();
    // One bit, such that the text stays readable: another number, or another time.
    const row = database.raw
      .prepare("SELECT id, samples FROM telemetry_journal ORDER BY id LIMIT 1 OFFSET 1")
      .get() as { id: number; samples: Buffer };
    const spoilt = Buffer.from(row.samples);
    spoilt[spoilt.indexOf('"watts":2') + 8] = "6".charCodeAt(0);
    database.raw.prepare("UPDATE telemetry_journal SET samples = ? WHERE id = ?").run(spoilt, row.id);

    const second = await startTelemetry(database, { clock });
    t.same(watts(second), [3, 1], "what was changed is not given out as if it were true");
    t.match(database.badRows, [{ table: "telemetry_journal", key: String(row.id), column: "samples" }]);
    t.equal(database.badRows.length, 1);
    const kept = database.raw.prepare("SELECT content FROM set_aside").get() as { content: string };
    t.same(Buffer.from(kept.content, "base64"), spoilt);
    await second.telemetry.compact();
    t.same(watts(second), [3, 1]);

    database.raw.prepare("UPDATE telemetry_block SET samples = x'00ff00ff'").run();
    await second.telemetry.stop();
    const third = await startTelemetry(database, { clock });
    t.same(watts(third), [], "no error");
    await database.write(() => {});
    t.match(database.badRows, [{ table: "telemetry_block" }, { table: "telemetry_journal" }]);
    t.same(watts(third), []);
    await database.write(() => {});
    t.equal(database.badRows.length, 2, "once");
    for (const n of [4, 5]) await ingest(third, n);
    await third.telemetry.compact();
    t.same(watts(third), [5, 4]);

    // A block that the next compaction would fill up.
    database.raw.prepare("UPDATE telemetry_block SET samples = x'00ff00ff'").run();
    await ingest(third, 6);
    await third.telemetry.compact();
    t.same(watts(third).at(0), 6, "the journal is compacted all the same");
    t.equal((database.raw.prepare("SELECT count(*) AS n FROM telemetry_journal").get() as { n: number }).n, 0);
    t.equal(database.badRows.length, 3);
    await third.telemetry.stop();
    await database.stop();
  },
);

t.test("rows of the journal without a checksum, as earlier versions wrote them, are read", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock } = await startTelemetry(database);
  await telemetry.ingest("plug", [{ at: null, data: { watts: 5 } }], qos1(1, clock.now()));
  await telemetry.stop();
  const { samples } = database.raw.prepare("SELECT samples FROM telemetry_journal").get() as { samples: Buffer };
  database.raw
    .prepare("UPDATE telemetry_journal SET samples = ?")
    .run(Buffer.concat([Buffer.of(0), samples.subarray(5)]));
  const again = await startTelemetry(database, { clock });
  t.match(again.telemetry.recent("plug", { limit: 10 }), [{ data: { watts: 5 } }]);
  t.same(database.badRows, []);
  await again.telemetry.stop();
  await database.stop();
});

t.test(
  "samples of a wrong time move to their true one, with their sums, and are as if they had been recorded then",
  async (t) => {
    const folder = t.testdir({ wrong: {}, right: {} });
    const [wrong, right] = [await openDatabase(join(folder, "wrong")), await openDatabase(join(folder, "right"))];
    const now = Date.parse("2026-03-01T12:00:00Z");
    const shiftMs = 400 * DAY + 17 * 60_000;
    const span = { fromMs: now - shiftMs, toMs: now - shiftMs + 3 * HOUR, shiftMs };
    const benches = [
      await startTelemetry(wrong, { clock: new FakeClock(now) }),
      await startTelemetry(right, { clock: new FakeClock(now) }),
    ] as const;
    let id = 0;
    for (const [n, { telemetry }] of benches.entries()) {
      const ingest = (device: string, at: number, watts: number) =>
        telemetry.ingest(device, [{ at: null, data: { watts } }], qos1(++id % 60_000, at));
      // Before the span, right after it within the hour in which it ends, and after the true time was known.
      await ingest("plug", span.fromMs - 20 * 60_000, 7);
      await ingest("plug", span.toMs + 60_000, 9);
      for (let minute = 0; minute <= 180; minute += 5) {
        const at = span.fromMs + minute * 60_000;
        for (const device of ["plug", "meter"]) await ingest(device, n === 0 ? at : at + shiftMs, 100 + minute);
        if (minute === 90) await telemetry.compact();
      }
      await ingest("plug", now + 2 * HOUR + 1, 5_000);
      await ingest("other", now, 1);
    }
    t.equal(await benches[0].telemetry.move(span), 2 * 37);
    await benches[1].telemetry.compact();
    const seen = ({ telemetry, clock }: (typeof benches)[0], device: string) => ({
      samples: telemetry.recent(device, { limit: 1_000 }),
      now: telemetry.energy(device, { hours: 48, metric: "watts", timeZone: "UTC", now: now + 6 * HOUR }),
      before: telemetry.energy(device, { hours: 48, metric: "watts", timeZone: "UTC", now: span.toMs + 6 * HOUR }),
      clock: clock.now(),
    });
    for (const device of ["plug", "meter", "other"]) t.same(seen(benches[0], device), seen(benches[1], device), device);
    t.equal(
      await benches[0].telemetry.move(span),
      0,
      "nothing is left there but what belongs there, and that is outside of the span",
    );
    await benches[0].telemetry.stop();
    const again = await startTelemetry(wrong, { clock: new FakeClock(now) });
    t.same(seen(again, "plug").samples, seen(benches[1], "plug").samples, "after a restart");
    for (const bench of [again, benches[1]]) await bench.telemetry.stop();
    await wrong.stop();
    await right.stop();
  },
);

t.test(
  "what is handed to webhooks in the transaction of a compaction is not handed over again after a crash",
  async (t) => {
    const database = await openDatabase(t.testdir());
    t.teardown(() => database.stop());
    let jobOf: "nobody" | "compaction" | "report" = "nobody";
    const answers: unknown[] = [];
    let compact = (): void => {};
    /** Puts the write job of a report before that of a compaction, into one transaction. */
    const arranged = new Proxy(database, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (property !== "write") return typeof value === "function" ? value.bind(target) : value;
        return (job: () => unknown, ...more: []) => {
          if (jobOf === "compaction") {
            jobOf = "report";
            return new Promise((resolve, reject) => {
              compact = () => {
                target
                  .write(job)
                  .then((answer) => {
                    answers.push(answer);
                    resolve(answer);
                  })
                  .catch(reject);
              };
              bench.clock.advance(1_000); // the report is due
            });
          }
          const written = target.write(job, ...more);
          if (jobOf === "report") {
            jobOf = "nobody";
            compact();
          }
          return written;
        };
      },
    });
    const bench = await startTelemetry(arranged, { webhooks: true });
    for (const watts of [1, 2, 3])
      await bench.telemetry.ingest("meter-1", [{ at: null, data: { watts } }], qos1(watts, bench.clock.now()));
    t.equal(bench.reports.length, 1, "the others wait for their second");
    jobOf = "compaction";
    await bench.telemetry.compact();
    t.same(answers, [false], "not in that transaction");
    t.same(
      bench.reports.flatMap(({ data }) => data.samples.map((sample) => (sample.data as { watts: number }).watts)),
      [1, 2, 3],
    );
    // The hub is killed: another one reads what is on disk.
    const next = await startTelemetry(database, { webhooks: true, clock: bench.clock });
    t.teardown(() => next.telemetry.stop());
    next.clock.advance(2_000);
    await next.telemetry.ingest("meter-1", [{ at: null, data: { watts: 4 } }], qos1(4, next.clock.now()));
    t.same(
      next.reports.flatMap(({ data }) => data.samples.map((sample) => (sample.data as { watts: number }).watts)),
      [4],
      "only what is new",
    );
    t.equal(next.telemetry.recent("meter-1", { limit: 10 }).length, 4);
    await bench.telemetry.stop();
  },
);

t.test("after a stop nothing runs any more, whatever waited to be written or reported", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock, reports } = await startTelemetry(database, { webhooks: true });
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

t.test("patient samples are told and answered at once, and written with the next quiet write", async (t) => {
  const database = await openDatabase(t.testdir());
  const { telemetry, clock, facts, reports, world } = await startTelemetry(database);
  const rows = (): number => Number(database.raw.prepare("SELECT count(*) FROM telemetry_journal").pluck().get());
  const patient = () => ({ ...qos0(clock.now()), patient: true });
  for (let watts = 1; watts <= 4; watts++) {
    await telemetry.ingest("plug", [{ at: null, data: { watts } }], patient());
    clock.advance(30_000);
  }
  await database.write(() => {});
  t.equal(rows(), 0);
  t.same(
    facts.map(({ data }) => data.watts),
    [1, 2, 3, 4],
  );
  t.equal(telemetry.recent("plug", { limit: 10 }).length, 4);
  clock.advance(QUIET_WRITE_MS - 4 * 30_000);
  await database.write(() => {});
  t.equal(rows(), 1, "all in one row");
  t.equal(facts.length, 4, "nobody is told twice");
  t.equal(telemetry.recent("plug", { limit: 10 }).length, 4);
  world.webhooks = true;
  await telemetry.ingest("plug", [{ at: null, data: { watts: 9 } }], patient());
  clock.advance(5_000);
  await database.write(() => {});
  t.equal(rows(), 2, "a webhook does not wait");
  t.match(reports.at(-1), { deviceId: "plug" });
  world.webhooks = false;
  await telemetry.ingest("clock", [{ at: null, data: { watts: 9 } }], patient());
  const now = clock.now();
  t.equal(
    await telemetry.move({ fromMs: now - 1, toMs: now + 1, shiftMs: 86_400_000 }),
    1,
    "a wrong time is put right",
  );
  t.same(telemetry.recent("clock", { limit: 1 }), [{ at: now + 86_400_000, data: { watts: 9 } }]);
  const before = rows();
  await telemetry.ingest("plug", [{ at: null, data: { watts: 10 } }], patient());
  await telemetry.stop();
  t.equal(rows(), before + 1, "nor does a stop");
  await database.stop();
});
