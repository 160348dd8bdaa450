/** The journal: what is written when, how it is compacted, and how unreadable parts are handled. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import t from "tap";
import { QUIET_WRITE_MS } from "../../src/core/kernel/quiet-writes.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos0, qos1, startTelemetry } from "./setup.ts";

const HOUR = 3_600_000;
const DAY = 86_400_000;

t.test("messages of one group commit share one journal row", async (t) => {
  const database = await openDatabase(testFolder(t));
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

t.test("under load a group waits for more, and a large one waits for nothing", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database, { pace: { groupMs: 3_000 } });
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
  t.ok(performance.now() - since < 2_500, "which did not wait out its time");
  await telemetry.stop();
  await database.stop();
});

t.test("QoS 0 is visible at once and written within five seconds", async (t) => {
  const database = await openDatabase(testFolder(t));
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

t.test("stop writes what is waiting", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database);
  await telemetry.ingest("plug", [{ at: null, data: { watts: 1 } }], qos0(clock.now()));
  await telemetry.stop();
  const again = await startTelemetry(database, { clock });
  t.equal(again.telemetry.recent("plug", { limit: 10 }).length, 1);
  await again.telemetry.stop();
  await database.stop();
});

t.test("a journal at its limit is compacted by itself; readers see every sample once at any moment", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database, { pace: { journalSamples: 40 } });
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
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database, { pace: { journalSamples: 3 } });
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

t.test("samples waiting for the disk are limited: a message beyond the limit is refused for now", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database);
  const sample = [{ at: null, data: { watts: 1 } }];
  const waiting = Array.from({ length: 20_000 }, (_, n) =>
    telemetry.ingest("plug", sample, qos1(n % 65_535, clock.now())),
  );
  await t.rejects(telemetry.ingest("plug", sample, qos1(65_535, clock.now())), {
    code: /^unavailable$/,
    headers: { "Retry-After": "1" },
  });
  t.equal(telemetry.figures().refused, 1);
  await Promise.all(waiting);
  await telemetry.ingest("plug", sample, qos1(65_535, clock.now()));
  t.equal(telemetry.figures().received, 20_002);
  await telemetry.stop();
  await database.stop();
});

t.test("a message that could not be stored is not acknowledged, and accepted when it comes again", async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { telemetry } = await startTelemetry(database, { clock });
  const reading = [{ at: null, data: { watts: 5 } }];
  const pages = database.raw.pragma("page_count", { simple: true });
  database.raw.pragma(`max_page_count = ${pages}`);
  const big = [{ at: null, data: { text: randomBytes(400_000).toString("base64") } }];
  await t.rejects(telemetry.ingest("plug", big, qos1(1, clock.now())), { code: /^storage_full$/ });
  t.same(telemetry.recent("plug", { limit: 10 }), []);
  database.raw.pragma("max_page_count = 1000000");
  clock.advance(10_000);
  await telemetry.ingest("plug", reading, qos1(2, clock.now()));
  await telemetry.ingest("plug", big, qos1(1, clock.now(), { duplicate: true }));
  t.equal(telemetry.recent("plug", { limit: 10 }).length, 2);
  await telemetry.stop();
  await database.stop();
});

t.test("an unreadable journal row and block are set aside and named; everything else is there", async (t) => {
  const database = await openDatabase(testFolder(t));
  const first = await startTelemetry(database);
  const { clock } = first;
  const ingest = (bench: typeof first, watts: number) =>
    bench.telemetry.ingest("plug", [{ at: null, data: { watts } }], qos1(watts, clock.now() + watts));
  const watts = (bench: typeof first) => bench.telemetry.recent("plug", { limit: 100 }).map(({ data }) => data.watts);
  for (const n of [1, 2, 3]) await ingest(first, n);
  await first.telemetry.stop();
  // One bit, such that the text stays readable: another number, or another time.
  const row = database.raw.prepare("SELECT id, samples FROM telemetry_journal ORDER BY id LIMIT 1 OFFSET 1").get() as {
    id: number;
    samples: Buffer;
  };
  const spoilt = Buffer.from(row.samples);
  spoilt[spoilt.indexOf('"watts":2') + 8] = "6".charCodeAt(0);
  database.raw.prepare("UPDATE telemetry_journal SET samples = ? WHERE id = ?").run(spoilt, row.id);

  const second = await startTelemetry(database, { clock });
  t.same(watts(second), [3, 1], "corrupted samples are not returned as if they were true");
  t.hasStrict(database.badRows, [{ table: "telemetry_journal", key: String(row.id), column: "samples" }]);
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
});

t.test("journal rows without a checksum, as earlier versions wrote them, are read", async (t) => {
  const database = await openDatabase(testFolder(t));
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

t.test("samples of a wrong time move to their true one, with their sums, as if recorded then", async (t) => {
  const folder = testFolder(t, { wrong: {}, right: {} });
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
  t.equal(await benches[0].telemetry.move(span), 0, "only what belongs there is left, and that is outside the span");
  await benches[0].telemetry.stop();
  const again = await startTelemetry(wrong, { clock: new FakeClock(now) });
  t.same(seen(again, "plug").samples, seen(benches[1], "plug").samples, "after a restart");
  for (const bench of [again, benches[1]]) await bench.telemetry.stop();
  await wrong.stop();
  await right.stop();
});

t.test("a report handed to webhooks in the transaction of a compaction is not repeated after a crash", async (t) => {
  const database = await openDatabase(testFolder(t));
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
  const bench = await startTelemetry(arranged, { reported: true });
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
  // The hub is killed: another one reads the disk.
  const next = await startTelemetry(database, { reported: true, clock: bench.clock });
  t.teardown(() => next.telemetry.stop());
  next.clock.advance(2_000);
  await next.telemetry.ingest("meter-1", [{ at: null, data: { watts: 4 } }], qos1(4, next.clock.now()));
  t.same(
    next.reports.flatMap(({ data }) => data.samples.map((sample) => (sample.data as { watts: number }).watts)),
    [4],
    "only new samples",
  );
  t.equal(next.telemetry.recent("meter-1", { limit: 10 }).length, 4);
  await bench.telemetry.stop();
});

t.test("patient samples are announced and answered at once, and written with the next quiet write", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock, facts, reports, taken } = await startTelemetry(database);
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
  t.equal(facts.length, 4, "nothing is announced twice");
  t.equal(telemetry.recent("plug", { limit: 10 }).length, 4);
  taken.add("device.telemetry");
  await telemetry.ingest("plug", [{ at: null, data: { watts: 9 } }], patient());
  clock.advance(5_000);
  await database.write(() => {});
  t.equal(rows(), 2, "a webhook does not wait");
  t.hasStrict(reports.at(-1), { deviceId: "plug" });
  taken.delete("device.telemetry");
  await telemetry.ingest("clock", [{ at: null, data: { watts: 9 } }], patient());
  const now = clock.now();
  t.equal(
    await telemetry.move({ fromMs: now - 1, toMs: now + 1, shiftMs: 86_400_000 }),
    1,
    "a wrong time is corrected",
  );
  t.same(telemetry.recent("clock", { limit: 1 }), [{ at: now + 86_400_000, data: { watts: 9 } }]);
  const before = rows();
  await telemetry.ingest("plug", [{ at: null, data: { watts: 10 } }], patient());
  await telemetry.stop();
  t.equal(rows(), before + 1, "nor does a stop");
  await database.stop();
});
