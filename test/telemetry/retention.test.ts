/** How long samples and roll-ups are kept, and in which order they are removed. */
import t from "tap";
import { removeAllDue } from "../support/aged.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos1, startTelemetry } from "./setup.ts";

const HOUR = 3_600_000;
const DAY = 86_400_000;

t.test("retention removes old samples and old roll-ups, and enforces the quota oldest first", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database, { telemetry: { maxMegabytes: 20_000 / 1_048_576 } });
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

t.test("old roll-ups are removed up to the given number, across devices, and none before it is due", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database, { telemetry: { hourlyDays: 10 } });
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
});

t.test("roll-ups over the quota are removed oldest first, across devices, and no more than needed", async (t) => {
  const database = await openDatabase(testFolder(t));
  // 1,136 roll-ups of the 1,200
  const { telemetry, clock } = await startTelemetry(database, { telemetry: { maxMegabytes: 170_400 / 1_048_576 } });
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
});
