import t, { type Test } from "tap";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos0, qos1, type StartOptions, startTelemetry } from "./setup.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

async function bench(t: Test, pace: StartOptions["pace"] = {}) {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const started = await startTelemetry(database, { clock, pace });
  t.teardown(async () => {
    await started.telemetry.stop();
    await database.stop();
  });
  const rows = (): unknown => database.raw.prepare("SELECT count(*) FROM telemetry_journal").pluck().get();
  /** Work begun by the test has finished. */
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 5; n++) {
      await database.write(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { ...started, clock, database, rows, settle };
}

t.test("a thousand messages of QoS 0 wait; one more is written at once, and they with it", async (t) => {
  const { telemetry, clock, settle, rows } = await bench(t);
  const send = (n: number) => telemetry.ingest("plug", [{ at: clock.now() - n, data: { n } }], qos0(clock.now()));
  for (let n = 0; n < 1_000; n++) await send(n);
  await settle();
  t.equal(rows(), 0);
  await send(1_000);
  t.equal(rows(), 1);
  t.same(telemetry.figures(), {
    received: 1_001,
    refused: 0,
    journalSamples: 1_001,
    blockSamples: 0,
    blockBytes: 0,
    duplicates: 0,
  });
});

t.test(
  "every listener gets a message's latest new sample, of equal times the last; duplicates are counted",
  async (t) => {
    const { telemetry, clock, facts } = await bench(t);
    const now = clock.now();
    const message = [
      { at: now - 9, data: { n: 1 } },
      { at: now - 5, data: { n: 2 } },
      { at: now - 5, data: { n: 3 } },
      { at: now - 7, data: { n: 4 } },
    ];
    const duplicates = () => telemetry.figures().duplicates;
    await telemetry.ingest("plug", message, qos1(1, now));
    t.same(facts, [{ siteId: 1, deviceId: "plug", at: now - 5, data: { n: 3 } }]);
    t.equal(duplicates(), 0);
    await telemetry.ingest("plug", message, qos1(1, now, { duplicate: true }));
    t.same([facts.length, duplicates()], [1, 1], "the whole message");
    await telemetry.ingest("plug", [...message.slice(0, 2), { at: now - 8, data: { n: 5 } }], qos1(2, now));
    t.same([facts.at(-1)?.data, duplicates()], [{ n: 5 }, 3], "two of its samples");
    await telemetry.ingest("plug", message.slice(0, 1), qos1(3, now));
    t.same([facts.length, duplicates()], [2, 4], "nothing new");
  },
);

for (const [count, minutes] of [
  [499, 8],
  [500, 2],
] as const)
  t.test(`a journal of ${count} samples is compacted at ${minutes} minutes of its age of two`, async (t) => {
    const { telemetry, clock, settle } = await bench(t, { journalAgeMs: 2 * MINUTE });
    const samples = Array.from({ length: count }, (_, n) => ({ at: clock.now() - n, data: { n } }));
    await telemetry.ingest("plug", samples, qos1(1, clock.now()));
    clock.advance(minutes * MINUTE - 1);
    await settle();
    t.equal(telemetry.figures().journalSamples, count);
    clock.advance(1);
    while (telemetry.figures().blockSamples < count) await settle();
    t.equal(telemetry.figures().journalSamples, 0);
  });

t.test("room is made from what is older than a day, and not from what is exactly as old", async (t) => {
  const { telemetry, clock } = await bench(t);
  const send = (at: number, id: number) => telemetry.ingest("plug", [{ at, data: { id } }], qos1(id, clock.now()));
  await send(clock.now() - DAY, 1);
  await telemetry.compact();
  t.equal(await telemetry.evictOldest(), false);
  clock.advance(1);
  t.equal(await telemetry.evictOldest(), true);
  t.same(telemetry.recent("plug", { limit: 9 }), []);
  t.equal(telemetry.energy("plug", { hours: 48, metric: "id", timeZone: "UTC", now: clock.now() }).series.length, 1);
});

t.test("samples from the oldest on come whole: never some of one time without the others", async (t) => {
  const { telemetry, clock } = await bench(t);
  const from = clock.now() - 10_000;
  const at = (...offsets: number[]) => offsets.map((offset, n) => ({ at: from + offset, data: { n } }));
  const read = (afterMs: number, toMs: number, limit: number) =>
    telemetry.oldestFirst("plug", { afterMs: from + afterMs, toMs: from + toMs, limit }).map((it) => it.at - from);
  await telemetry.ingest("plug", at(1, 2, 3, 3, 3, 4), qos1(1, clock.now()));
  await telemetry.compact();
  await telemetry.ingest("plug", at(2, 5, 6, 6, 9), qos1(2, clock.now()));
  t.same(read(0, 9, 99), [1, 2, 2, 3, 3, 3, 4, 5, 6, 6, 9]);
  t.same(read(1, 6, 99), [2, 2, 3, 3, 3, 4, 5, 6, 6], "after the one, up to the other");
  t.same(read(0, 9, 1), [1]);
  t.same(read(0, 9, 2), [1, 2, 2]);
  t.same(read(0, 9, 4), [1, 2, 2, 3, 3, 3]);
  t.same(read(4, 9, 2), [5, 6, 6]);
  t.same(read(9, 9, 2), []);
  t.same(read(3, 3, 2), []);
  for (const n of [1, 2]) {
    await telemetry.ingest(
      "plug",
      Array.from({ length: 500 }, (_, i) => ({ at: from + n * 1_000 + i, data: { i } })),
      qos1(2 + n, clock.now()),
    );
    await telemetry.compact();
  }
  const all = read(0, 9_999, 9_999);
  t.equal(all.length, 1_011);
  const pages: number[] = [];
  for (let page = read(0, 9_999, 100); page.length > 0; page = read(pages.at(-1) ?? 0, 9_999, 100)) pages.push(...page);
  t.same(pages, all, "page by page, all of them");
});
