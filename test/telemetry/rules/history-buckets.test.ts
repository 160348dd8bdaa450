import t from "tap";
import {
  type HistoryPart,
  HistorySums,
  historyBuckets,
} from "../../../src/features/telemetry/rules/history-buckets.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (text: string): number => Date.parse(text);

t.test("the step is the shortest readable one that stays within the number of points", async (t) => {
  const stepOf = (lengthMs: number, points: number, finestMs = 0): number =>
    historyBuckets({ fromMs: 0, toMs: lengthMs, points, timeZone: "UTC", finestMs }).stepMs;
  t.equal(stepOf(100_000, 100), 1_000);
  t.equal(stepOf(100_001, 100), 2_000);
  t.equal(stepOf(500_000, 100), 5_000);
  t.equal(stepOf(HOUR, 60), MINUTE);
  t.equal(stepOf(HOUR, 59), 2 * MINUTE);
  t.equal(stepOf(DAY, 24), HOUR);
  t.equal(stepOf(DAY, 23), 2 * HOUR);
  t.equal(stepOf(10 * DAY, 10), DAY);
  t.equal(stepOf(10 * DAY, 9), 2 * DAY);
  t.equal(stepOf(365 * DAY, 100), 4 * DAY);
  t.equal(stepOf(100_000, 100, 15 * MINUTE), 15 * MINUTE, "none finer than requested");
  const steps = [1, 2, 5, 10, 15, 30].flatMap((n) => [n * 1_000, n * MINUTE]);
  for (const step of [...steps, ...[1, 2, 3, 4, 6, 12, 24].map((n) => n * HOUR)]) t.equal(stepOf(step, 1), step);
});

t.test("short buckets begin at whole steps and cover the range", async (t) => {
  const edges = historyBuckets({ fromMs: 61_000, toMs: 179_999, points: 2, timeZone: "Asia/Kolkata" }).edges;
  t.same(edges, [60_000, 120_000, 180_000]);
  const whole = historyBuckets({ fromMs: 60_000, toMs: 180_000, points: 2, timeZone: "UTC" }).edges;
  t.same(whole, [60_000, 120_000, 180_000], "nothing beyond an edge");
  const quarter = historyBuckets({ fromMs: 0, toMs: 30 * MINUTE, points: 2, timeZone: "Asia/Kathmandu" });
  t.same(quarter.edges, [0, 15 * MINUTE, 30 * MINUTE]);
});

t.test("longer ones begin at local midnight", async (t) => {
  const kolkata = historyBuckets({
    fromMs: at("2026-03-01T10:00:00Z"),
    toMs: at("2026-03-02T10:00:00Z"),
    points: 24,
    timeZone: "Asia/Kolkata",
  });
  t.equal(kolkata.stepMs, HOUR);
  t.equal(kolkata.edges[0], at("2026-03-01T09:30:00Z"), "the one that contains the beginning");
  t.equal(kolkata.edges.at(-1), at("2026-03-02T10:00:00Z"));
  const days = historyBuckets({
    fromMs: at("2026-03-01T10:00:00Z"),
    toMs: at("2026-03-06T10:00:00Z"),
    points: 3,
    timeZone: "Asia/Kolkata",
  });
  t.equal(days.stepMs, 2 * DAY);
  t.same(
    days.edges.slice(0, -1).map((edge) => new Date(edge).toISOString()),
    ["2026-02-28T18:30:00.000Z", "2026-03-02T18:30:00.000Z", "2026-03-04T18:30:00.000Z"],
  );
  t.equal(days.edges.at(-1), at("2026-03-06T10:00:00Z"));
  const nowhere = historyBuckets({ fromMs: 0, toMs: DAY, points: 24, timeZone: "Nowhere/At_all" });
  t.equal(nowhere.edges[0], 0, "in an unknown zone: UTC");
});

t.test("a day with a clock change has 23 or 25 hours, and none is lost or doubled", async (t) => {
  const berlin = (from: string, to: string, points: number) =>
    historyBuckets({ fromMs: at(from), toMs: at(to), points, timeZone: "Europe/Berlin" }).edges;
  const spring = berlin("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23);
  t.equal(spring.length - 1, 23);
  const autumn = berlin("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25);
  t.equal(autumn.length - 1, 25);
  const daily = berlin("2026-10-23T22:00:00Z", "2026-10-26T23:00:00Z", 4);
  t.same(
    daily.map((edge) => new Date(edge).toISOString().slice(0, 13)),
    ["2026-10-23T22", "2026-10-24T22", "2026-10-25T23", "2026-10-26T23"],
  );
});

t.test("parts go into the bucket of their time, in whatever order they come", async (t) => {
  const part = (time: number, value: number, more: Partial<HistoryPart> = {}): HistoryPart => ({
    at: time,
    count: 1,
    sum: value,
    max: value,
    min: value,
    ...more,
  });
  const parts = [
    part(0, 4),
    part(9, 8),
    part(10, 1),
    part(39, 7),
    part(20, 2, { count: 4, sum: 8, max: 5, min: null }),
    part(29, 3),
    part(30, 6),
    part(-1, 100),
    part(40, 100),
    part(15, 100, { count: 0 }),
  ];
  const wanted = [
    { at: 0, avg: 6, min: 4, max: 8 },
    { at: 10, avg: 1, min: 1, max: 1 },
    { at: 20, avg: 11 / 5, min: null, max: 5 },
    { at: 30, avg: 6.5, min: 6, max: 7 },
  ];
  for (const order of [parts, [...parts].reverse(), [...parts].sort((a, b) => a.at - b.at)]) {
    const sums = new HistorySums([0, 10, 20, 30, 40]);
    for (const one of order) sums.add(one);
    t.same(sums.points(), wanted);
  }
  const gaps = new HistorySums([0, 10, 20]);
  gaps.add(part(12, 5));
  t.same(gaps.points(), [{ at: 10, avg: 5, min: 5, max: 5 }], "an empty bucket has no point");
  const none = new HistorySums([]);
  none.add(part(0, 1));
  t.same(none.points(), []);
  const unknown = new HistorySums([0, 10]);
  unknown.add(part(1, 5, { min: null }));
  unknown.add(part(2, 5));
  t.equal(unknown.points()[0]?.min, null);
});
