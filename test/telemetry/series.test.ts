import { DateTime } from "luxon";
import t, { type Test } from "tap";
import { LONGEST_GAP_MS } from "../../src/features/telemetry/rules/power-integral.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos1, startTelemetry } from "./setup.ts";

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-03-30T12:00:00Z");

/** Telemetry with a day sampled each `stepMs`, with the numbers of `value`. */
async function sampled(
  t: Test,
  options: { fromMs: number; toMs: number; stepMs: number; value: (at: number) => number; metric?: string },
) {
  const database = await openDatabase(testFolder(t));
  const bench = await startTelemetry(database, { clock: new FakeClock(NOW) });
  t.teardown(async () => {
    await bench.telemetry.stop();
    await database.stop();
  });
  const { fromMs, toMs, stepMs, value, metric = "watts" } = options;
  const samples = [];
  for (let at = fromMs; at < toMs; at += stepMs) samples.push({ at, data: { [metric]: value(at) } });
  for (let n = 0; n < samples.length; n += 1_000)
    await bench.telemetry.ingest("meter", samples.slice(n, n + 1_000), qos1(n + 1, NOW));
  return { ...bench, database, samples };
}

const saw = (at: number): number => (at / MINUTE) % 97;
/** Buckets that begin with a local hour, computed the plain way. */
function plainly(samples: readonly { at: number; data: Record<string, number> }[], startOf: (at: number) => number) {
  const buckets = new Map<number, number[]>();
  for (const { at, data } of samples) buckets.set(startOf(at), [...(buckets.get(startOf(at)) ?? []), data.watts ?? 0]);
  return [...buckets].map(([at, values]) => ({
    at,
    avg: Math.round((values.reduce((a, b) => a + b, 0) / values.length) * 1e6),
    min: Math.min(...values),
    max: Math.max(...values),
  }));
}
const rounded = <Point extends { avg: number }>(points: readonly Point[]) =>
  points.map((point) => ({ ...point, avg: Math.round(point.avg * 1e6) }));

t.test(
  "every range holds mean, minimum and maximum of the samples, from the journal, blocks and roll-ups alike",
  async (t) => {
    const { telemetry, samples } = await sampled(t, {
      fromMs: NOW - 40 * DAY,
      toMs: NOW,
      stepMs: 7 * MINUTE,
      value: saw,
    });
    for (const when of ["in the journal", "in blocks"]) {
      if (when === "in blocks") await telemetry.compact();
      for (const [name, lengthMs, points, stepMs] of [
        ["day", DAY, 40, HOUR],
        ["week", 7 * DAY, 336, 30 * MINUTE],
        ["month", 30 * DAY, 120, 6 * HOUR],
      ] as const) {
        const [fromMs, toMs] = [NOW - lengthMs, NOW];
        const series = await telemetry.history("meter", { metric: "watts", fromMs, toMs, points, timeZone: "UTC" });
        const within = samples.filter(({ at }) => at >= fromMs && at < toMs) as {
          at: number;
          data: Record<string, number>;
        }[];
        t.equal(series.stepMs, stepMs, `${name} ${when}`);
        t.same(
          rounded(series.points),
          plainly(within, (at) => Math.floor(at / stepMs) * stepMs),
          `${name} ${when}`,
        );
      }
    }
  },
);

t.test("a range with few samples is answered with the samples themselves", async (t) => {
  const { telemetry, samples } = await sampled(t, { fromMs: NOW - HOUR, toMs: NOW, stepMs: 2 * MINUTE, value: saw });
  const series = await telemetry.history("meter", {
    metric: "watts",
    fromMs: NOW - HOUR,
    toMs: NOW,
    points: 100,
    timeZone: "UTC",
  });
  t.equal(series.stepMs, 0);
  t.same(
    series.points.map(({ at, avg }) => [at, avg]),
    samples.map(({ at, data }) => [at, data.watts]),
  );
  const odd = {
    metric: "watts",
    fromMs: NOW - HOUR + 3 * MINUTE,
    toMs: NOW - 5 * MINUTE,
    points: 100,
    timeZone: "UTC",
  };
  t.match(
    await telemetry.history("meter", odd),
    { stepMs: 0, points: { length: 26 } },
    "also if it begins and ends within a quarter hour",
  );
  t.same(await telemetry.history("nobody", { metric: "watts", fromMs: 0, toMs: NOW, points: 100, timeZone: "UTC" }), {
    stepMs: 0,
    points: [],
  });
  t.same(telemetry.metrics("meter"), ["watts"]);
});

t.test("days are the household's, with 23 and 25 hours on clock changes", async (t) => {
  for (const [zone, day, hours] of [
    ["Europe/Berlin", "2026-03-29", 23],
    ["America/New_York", "2026-03-08", 23],
    ["Asia/Kathmandu", "2026-03-10", 24],
  ] as const) {
    const start = DateTime.fromISO(day, { zone });
    const { telemetry, samples } = await sampled(t, {
      fromMs: start.toMillis() - 2 * DAY,
      toMs: start.toMillis() + 3 * DAY,
      stepMs: QUARTER,
      value: saw,
    });
    await telemetry.compact();
    const series = await telemetry.history("meter", {
      metric: "watts",
      fromMs: start.minus({ days: 1 }).toMillis(),
      toMs: start.plus({ days: 2 }).toMillis(),
      points: 10,
      timeZone: zone,
    });
    const points = series.points.map(({ at }) => at);
    t.ok(
      points.includes(start.toMillis()) && points.includes(start.plus({ days: 1 }).toMillis()),
      `${zone}: midnights begin buckets`,
    );
    const within = samples.filter(({ at }) => at >= start.toMillis() && at < start.plus({ days: 1 }).toMillis());
    t.equal(within.length, hours * 4);
    const ofDay = await telemetry.history("meter", {
      metric: "watts",
      fromMs: start.toMillis(),
      toMs: start.plus({ days: 1 }).toMillis(),
      points: 24,
      timeZone: zone,
    });
    t.equal(ofDay.points.length, hours, `${zone}: an hour each`);
  }
});

t.test("samples that move into blocks while a long range is read are counted once", async (t) => {
  const { telemetry, samples } = await sampled(t, {
    fromMs: NOW - 30 * DAY,
    toMs: NOW,
    stepMs: 5 * MINUTE,
    value: () => 1,
  });
  const query = { metric: "watts", fromMs: NOW - 30 * DAY, toMs: NOW, points: 1_500, timeZone: "UTC" } as const;
  const [during] = await Promise.all([telemetry.quarters("meter", query), telemetry.compact()]);
  const count = (quarters: { count: Float64Array }): number => quarters.count.reduce((a, b) => a + b, 0);
  t.equal(count(during), samples.length);
  t.equal(count(await telemetry.quarters("meter", query)), samples.length);
});

t.test("the energy of a power is its integral over time, and a long gap counts nothing", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry } = await startTelemetry(database, { clock: new FakeClock(NOW) });
  const energy = async (deviceId: string): Promise<number> => {
    const { wattHours } = await telemetry.quarters(deviceId, { metric: "watts", fromMs: NOW - DAY, toMs: NOW });
    return wattHours.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
  };
  let id = 0;
  const send = (deviceId: string, samples: readonly (readonly [number, number])[]) =>
    telemetry.ingest(
      deviceId,
      samples.map(([at, watts]) => ({ at, data: { watts } })),
      qos1(++id, NOW),
    );
  // 0.2 s apart, as a household's plug did: 1,100 W on average for a fifth of a second.
  await send("plug", [
    [NOW - HOUR, 2_000],
    [NOW - HOUR + 200, 200],
  ]);
  t.equal(Math.round((await energy("plug")) * 1_000) / 1_000, 0.061);
  // An hour of 600 W in pieces that end up in three generations, and a silence without data.
  const minute = (n: number): readonly [number, number] => [NOW - 10 * HOUR + n * MINUTE, 600];
  const minutes = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => minute(from + n));
  await send("heater", minutes(0, 20));
  await telemetry.compact();
  await send("heater", minutes(20, 45));
  await telemetry.compact();
  await send("heater", [...minutes(45, 61), [NOW - 9 * HOUR + LONGEST_GAP_MS + 1, 600]]);
  t.equal(Math.round(await energy("heater")), 600, "with the last piece in the journal");
  await telemetry.compact();
  t.equal(Math.round(await energy("heater")), 600, "and in the roll-ups");
  // Samples that a device sends late, on its return, count as well.
  await send("late", [[NOW - MINUTE, 0]]);
  await send(
    "late",
    Array.from({ length: 61 }, (_, n) => [NOW - 5 * HOUR + n * MINUTE, 300] as const),
  );
  await telemetry.compact();
  t.equal(Math.round(await energy("late")), 300);
  await telemetry.stop();
  await database.stop();
});

t.test(
  "earlier roll-ups without minimum and integral are marked; what is added to them is otherwise complete",
  async (t) => {
    const { telemetry, database } = await sampled(t, {
      fromMs: NOW - 2 * DAY,
      toMs: NOW - DAY,
      stepMs: 5 * MINUTE,
      value: () => 120,
    });
    await telemetry.compact();
    database.raw.exec(
      "UPDATE telemetry_hour SET min0 = NULL, min1 = NULL, min2 = NULL, min3 = NULL, wh0 = NULL, wh1 = NULL, wh2 = NULL, wh3 = NULL",
    );
    database.raw.exec("DELETE FROM telemetry_block");
    const query = { metric: "watts", fromMs: NOW - 2 * DAY, toMs: NOW - DAY, points: 24, timeZone: "UTC" };
    const old = await telemetry.history("meter", query);
    t.match(old.points[3], { avg: 120, min: null, max: 120 });
    await telemetry.ingest("meter", [{ at: NOW - 2 * DAY + 3 * HOUR + 1_000, data: { watts: 500 } }], qos1(9_000, NOW));
    await telemetry.compact();
    t.match(
      (await telemetry.history("meter", query)).points.find(({ max }) => max === 500),
      { min: null },
    );
    const { wattHours } = await telemetry.quarters("meter", query);
    t.ok(Number.isNaN(wattHours[12] ?? 0), "a part is not the whole");
  },
);
