import t, { type Test } from "tap";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos0, qos1, startTelemetry } from "./setup.ts";

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-03-30T12:00:00Z");
/** Where samples can be. */
const PLACES = ["waiting", "journal", "blocks", "roll-ups"] as const;
type Place = (typeof PLACES)[number];
/** A time and the number measured then. */
type Reading = readonly [at: number, watts: number];

/** Telemetry in which samples of the meter are put at a chosen place; earlier ones stay where they are. */
async function meter(t: Test) {
  const database = await openDatabase(testFolder(t));
  const { telemetry } = await startTelemetry(database, { clock: new FakeClock(NOW) });
  t.teardown(async () => {
    await telemetry.stop();
    await database.stop();
  });
  let id = 0;
  const put = async (place: Place, readings: readonly Reading[], metric = "watts"): Promise<void> => {
    const samples = readings.map(([at, value]) => ({ at, data: { [metric]: value } }));
    await telemetry.ingest("meter", samples, place === "waiting" ? qos0(NOW) : qos1(++id, NOW));
    if (place === "blocks" || place === "roll-ups") await telemetry.compact();
    if (place === "roll-ups") database.raw.exec("DELETE FROM telemetry_block");
  };
  const history = (fromMs: number, toMs: number, points: number, metric = "watts") =>
    telemetry.history("meter", { metric, fromMs, toMs, points, timeZone: "UTC" });
  const quarters = async (fromMs: number, toMs: number, metric = "watts") => {
    const { count, sum, max, wattHours, ...rest } = await telemetry.quarters("meter", { metric, fromMs, toMs });
    const lists = { count: [...count], sum: [...sum], max: [...max] };
    return { ...lists, wattHours: [...wattHours].map((wh) => (Number.isNaN(wh) ? null : wh)), ...rest };
  };
  return { telemetry, database, put, history, quarters };
}

const one = (at: number, value: number) => ({ at, avg: value, min: value, max: value });

for (const place of PLACES.slice(0, 3))
  t.test(`a range includes its first millisecond and excludes its last: ${place}`, async (t) => {
    const { telemetry, put, history } = await meter(t);
    const [from, to] = [NOW - HOUR, NOW - QUARTER];
    // not in order of time, and two of one moment
    const readings: Reading[] = [
      [to - 1, 4],
      [from - 1, 1],
      [from, 2],
      [to, 5],
      [from, 3],
    ];
    await put(place, readings);
    t.same(await history(from, to, 3), { stepMs: 0, points: [one(from, 2), one(from, 3), one(to - 1, 4)] });
    t.same(await history(from, to + 1, 9), {
      stepMs: 0,
      points: [one(from, 2), one(from, 3), one(to - 1, 4), one(to, 5)],
    });
    t.same(
      await history(from, to, 2),
      {
        stepMs: 30 * MINUTE,
        points: [
          { at: from, avg: 2.5, min: 2, max: 3 },
          { at: from + 30 * MINUTE, avg: 4, min: 4, max: 4 },
        ],
      },
      "one point less than samples",
    );
    t.same(await history(from, to, 9, "volts"), { stepMs: 0, points: [] });
    const { points } = await history(from, from + 45 * MINUTE, 1);
    t.same(points, [{ at: from, avg: 3, min: 2, max: 4 }]);
    t.same(
      telemetry.recent("meter", { limit: 9, sinceMs: from }).map(({ at, data }) => [at - from, data.watts]),
      [
        [to - from, 5],
        [to - from - 1, 4],
        [0, 3],
        [0, 2],
      ],
    );
    t.same(
      telemetry.recent("meter", { limit: 2, before: { at: from, skip: 1 } }).map(({ data }) => data.watts),
      [2, 1],
    );
    const { series } = telemetry.energy("meter", { hours: 1, metric: "watts", timeZone: "UTC", now: NOW });
    t.same(series, [{ at: from, avg: 3.5, max: 5 }], "an hour's energy");
  });

t.test("a range with more than twice as many samples as points is answered from quarter hours", async (t) => {
  const early: Reading = [NOW - 12 * HOUR + 5 * MINUTE - 1, 100]; // in the first quarter hour
  const [from, to] = [NOW - 12 * HOUR + 5 * MINUTE, NOW];
  const within: Reading[] = [
    [from, 1],
    [from + 6 * HOUR, 5],
    [to - 1, 3],
  ];
  const { put, history } = await meter(t);
  await put("blocks", within);
  await put("journal", [early, [to, 200]]);
  const second = { at: NOW - 6 * HOUR, avg: 4, min: 3, max: 5 };
  t.same(await history(from, to, 2), { stepMs: 6 * HOUR, points: [one(NOW - 12 * HOUR, 1), second] });
  t.same(await history(from, to, 1), {
    stepMs: 12 * HOUR,
    points: [{ at: NOW - 12 * HOUR, avg: 109 / 4, min: 1, max: 100 }],
  });
  await put("journal", [[from + 1, 1]]);
  t.same((await history(from, to, 2)).points, [one(NOW - 12 * HOUR, 1), second], "four for two");
  await put("journal", [[from + 2, 1]]);
  const first = { at: NOW - 12 * HOUR, avg: 103 / 4, min: 1, max: 100 };
  t.same((await history(from, to, 2)).points, [first, second], "five for two");
  await put("waiting", [
    [from - 1, 7],
    [from, 9],
    [to - 1, -2],
    [to, 8],
  ]);
  t.same(
    (await history(from, to, 2)).points,
    [
      { ...first, avg: 112 / 5 },
      { ...second, avg: 2, min: -2 },
    ],
    "waiting samples are counted by their moment",
  );
});

t.test("when the samples are gone, whole quarter hours stand in for them", async (t) => {
  const { put, history } = await meter(t);
  const start = NOW - 3 * HOUR;
  await put("roll-ups", [
    [start, 2],
    [start + 1, 4],
    [start + QUARTER, 6],
    [start + 2 * QUARTER, 8],
  ]);
  const first = { at: start, avg: 3, min: 2, max: 4 };
  const [second, third] = [one(start + QUARTER, 6), one(start + 2 * QUARTER, 8)];
  t.same(await history(start, start + 3 * QUARTER, 3), { stepMs: QUARTER, points: [first, second, third] });
  t.same(
    (await history(start + 1, start + 3 * QUARTER, 3)).points,
    [second, third],
    "one that begins before is excluded",
  );
  t.same((await history(start, start + 3 * QUARTER - 1, 3)).points, [first, second], "nor one that ends later");
  t.same((await history(start - QUARTER, start + QUARTER, 2)).points, [first]);
  t.same((await history(start - QUARTER, start, 2)).points, []);
  t.same((await history(start + 3 * QUARTER, start + 4 * QUARTER, 2)).points, []);
  t.same(
    (await history(start + 1, start + QUARTER, 1)).points,
    [{ ...first, at: start }],
    "without anything else, it is used",
  );
  t.same((await history(start + QUARTER - 5 * MINUTE, start + QUARTER - MINUTE, 4)).points, [
    { ...first, at: start + QUARTER - 5 * MINUTE },
  ]);
  await put("journal", [[start + QUARTER + 5, 10]]);
  t.same(
    (await history(start, start + 3 * QUARTER, 3)).points,
    [first, one(start + QUARTER, 10), third],
    "a quarter hour with a sample is answered by the sample",
  );
  await put("roll-ups", [[start + 4 * QUARTER, 9]]);
  await put("journal", [[start + 4 * QUARTER + 1, 11]]);
  t.same((await history(start + 3 * QUARTER, start + 5 * QUARTER, 2)).points, [one(start + 4 * QUARTER + 1, 11)]);
});

t.test("quarter hours: counts, sums, maxima and energy of each, and what came before", async (t) => {
  const { telemetry, put, quarters } = await meter(t);
  const start = NOW - 2 * HOUR;
  const nothing = { count: [0, 0], sum: [0, 0], max: [0, 0], wattHours: [null, null], fromMs: start, before: null };
  t.same(await quarters(start, start + 2 * QUARTER), nothing);
  await put("blocks", [
    [start - 3 * HOUR, -7],
    [start, -4],
    [start + 6 * MINUTE, -2],
    [start + 2 * QUARTER - 1, -9],
  ]);
  const before = { at: start - 3 * HOUR, max: -7 };
  t.match(await quarters(start, start + 2 * QUARTER), {
    count: [2, 1],
    sum: [-6, -9],
    max: [-2, -9],
    fromMs: start,
    before,
  });
  await put("journal", [
    [start + 7 * MINUTE, -3],
    [start + QUARTER, -10],
    [start + 2 * QUARTER, 5],
    [start - 1, 50],
  ]);
  t.match(
    await quarters(start, start + 2 * QUARTER),
    { count: [3, 2], sum: [-9, -19], max: [-2, -9], before },
    "with the journal, and without what is around them",
  );
  t.match(await quarters(start - QUARTER, start), { count: [1], sum: [50], max: [50], before });
  await telemetry.compact();
  t.match(await quarters(start, start + 2 * QUARTER), {
    count: [3, 2],
    sum: [-9, -19],
    max: [-2, -9],
    before: { at: start - QUARTER, max: 50 },
  });
});

t.test("the last quarter hour with samples before a range counts, even within the hour of its beginning", async (t) => {
  const { put, quarters } = await meter(t);
  const hour = NOW - 4 * HOUR;
  await put("blocks", [
    [hour - HOUR + QUARTER, 1],
    [hour, 2],
    [hour + QUARTER, 3],
    [hour + QUARTER + 1, 9],
    [hour + 3 * QUARTER, 4],
  ]);
  const before = async (fromMs: number) => (await quarters(fromMs, fromMs + QUARTER)).before;
  t.same(await before(hour + HOUR), { at: hour + 3 * QUARTER, max: 4 });
  t.same(await before(hour + 3 * QUARTER), { at: hour + QUARTER, max: 9 });
  t.same(await before(hour + 2 * QUARTER), { at: hour + QUARTER, max: 9 });
  t.same(await before(hour + QUARTER), { at: hour, max: 2 });
  t.same(await before(hour - HOUR + QUARTER), null);
  t.same(await before(hour - HOUR + 2 * QUARTER), { at: hour - HOUR + QUARTER, max: 1 });
});

t.test("energy of powers adds up over the tables, the running compaction and the journal", async (t) => {
  const { telemetry, put, quarters } = await meter(t);
  const start = NOW - 2 * HOUR;
  const minutes = (from: number, to: number, watts: number): Reading[] =>
    Array.from({ length: to - from }, (_, n) => [start + (from + n) * MINUTE, watts]);
  await put("blocks", minutes(0, 11, 60));
  await put("journal", minutes(11, 31, 60));
  const rounded = async () =>
    (await quarters(start, start + 3 * QUARTER)).wattHours.map((wh) => (wh === null ? null : Math.round(wh * 1e6)));
  const whole = [15e6, 15e6, null];
  t.same(await rounded(), whole);
  const compacting = telemetry.compact();
  await put("journal", minutes(31, 46, 60));
  const [during] = await Promise.all([rounded(), compacting]);
  t.same(during, [15e6, 15e6, 15e6]);
  t.same(await rounded(), [15e6, 15e6, 15e6]);
  t.same(
    (await quarters(start - DAY, start)).wattHours.filter((wh) => wh !== null),
    [],
  );
  t.same((await quarters(start, start + QUARTER, "volts")).wattHours, [null]);
});

t.test("an empty range has no quarter hours and no points", async (t) => {
  const { telemetry, put, quarters } = await meter(t);
  await put("journal", [[NOW - HOUR, 1]]);
  t.same(await quarters(NOW - HOUR, NOW - HOUR), {
    count: [],
    sum: [],
    max: [],
    wattHours: [],
    fromMs: NOW - HOUR,
    before: null,
  });
  const absent = await telemetry.quarters("nobody", { metric: "watts", fromMs: NOW - HOUR, toMs: NOW });
  t.same([[...absent.count], absent.before], [[0, 0, 0, 0], null]);
  t.same(telemetry.past("nobody"), -1);
  t.same(telemetry.metrics("nobody"), []);
  t.same(telemetry.oldestFirst("nobody", { afterMs: 0, toMs: NOW, limit: 5 }), []);
});

t.test("a quarter hour that begins at the end of a range is excluded, in the tables and in memory", async (t) => {
  const { put, history, quarters } = await meter(t);
  const hour = NOW - 4 * HOUR;
  await put("roll-ups", [[hour + 2 * QUARTER, 5]]);
  for (const from of [hour, hour + QUARTER, hour + QUARTER + MINUTE])
    t.same(await history(from, hour + 2 * QUARTER, 1), { stepMs: 0, points: [] }, `from ${from - hour}`);
  t.same((await history(hour, hour + 2 * QUARTER + 1, 1)).points, [one(hour, 5)]);
  for (const place of ["roll-ups", "journal"] as const) {
    await put(place, [[hour + 2 * QUARTER + 1, 7]]);
    t.same((await quarters(hour + QUARTER, hour + 2 * QUARTER)).count, [0], place);
    t.same((await quarters(hour + 3 * QUARTER, hour + HOUR)).count, [0], place);
  }
  t.same((await quarters(hour + 2 * QUARTER, hour + 3 * QUARTER)).count, [3]);
});

t.test("200,000 samples are read for an answer; if there may be one more, quarter hours are used", async (t) => {
  const { put, history, database } = await meter(t);
  const from = NOW - HOUR;
  await put("blocks", [
    [from + 1, 2],
    [from + 2, 4],
  ]);
  database.raw.exec("UPDATE telemetry_block SET count = 200000");
  t.same(await history(from, NOW, 60), { stepMs: 0, points: [one(from + 1, 2), one(from + 2, 4)] });
  database.raw.exec("UPDATE telemetry_block SET count = 200001");
  const sums = { stepMs: QUARTER, points: [{ at: from, avg: 3, min: 2, max: 4 }] };
  t.same(await history(from, NOW, 60), sums);
  database.raw.exec("UPDATE telemetry_block SET count = 199999");
  await put("journal", [[NOW, 1]]);
  t.same((await history(from, NOW, 60)).stepMs, 0, "samples beyond the end do not count");
  await put("journal", [
    [NOW - 1, 6],
    [NOW - 2, 6],
  ]);
  t.same(await history(from, NOW, 60), { ...sums, points: [...sums.points, one(NOW - QUARTER, 6)] });
});

t.test("a block that begins at the end of a range does not count for it", async (t) => {
  const { put, history } = await meter(t);
  const from = NOW - 4 * DAY + 5 * MINUTE;
  const to = from + 2 * DAY + 1;
  await put("blocks", [
    [from, 1],
    [from + 1, 1],
    [from + 2, 1],
    [from + DAY, 9],
  ]);
  await put("blocks", [[to, 50]]);
  await put("journal", [[from - 1, 100]]);
  const { points } = await history(from, to, 2);
  t.same(
    points.map(({ avg, max }) => [avg, max]),
    [[3, 9]],
    "four samples for two points are read one by one",
  );
  const wider = await history(from, to + 1, 2);
  t.equal(wider.points[0]?.max, 100, "five are not");
});

t.test("waiting samples also count up to the end of a range that is answered from quarter hours", async (t) => {
  const { put, history } = await meter(t);
  const from = NOW - 2 * HOUR;
  const to = from + 59 * MINUTE;
  await put(
    "journal",
    Array.from({ length: 9 }, (_, n): Reading => [from + n, 1]),
  );
  await put("waiting", [
    [from - 1, 70],
    [to - 1, 5],
    [to, 60],
  ]);
  t.same(await history(from, to, 4), { stepMs: QUARTER, points: [one(from, 1), one(from + 3 * QUARTER, 5)] });
});
