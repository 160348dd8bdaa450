import { DateTime } from "luxon";
import t from "tap";
import { counterStep, energySeries, energyWindow, HOUR_MS } from "../../../src/features/telemetry/rules/energy.ts";

const at = (text: string): number => Date.parse(text);
const sample = (text: string, value: number) => ({ at: at(text), count: 1, sum: value, max: value });

t.test("windows up to 48 hours have whole UTC hours, longer ones local days", async (t) => {
  const now = at("2026-03-01T12:30:00Z");
  const hourly = energyWindow(48, now, "Asia/Kolkata");
  t.equal(hourly.granularity, "hour");
  t.equal(hourly.edges[0], at("2026-02-27T12:00:00Z"), "the first bucket begins before the window");
  t.equal(hourly.edges.length - 1, 49);
  const daily = energyWindow(49, now, "Asia/Kolkata");
  t.equal(daily.granularity, "day");
  t.equal(daily.edges[0], at("2026-02-26T18:30:00Z"), "midnight in Kolkata");
  t.equal(energyWindow(49, now, "Nowhere/Land").edges[0], at("2026-02-27T00:00:00Z"), "an unknown zone is UTC");
  t.equal(
    energyWindow(1, at("2026-03-01T12:00:00Z"), "UTC").edges.length - 1,
    2,
    "the hour that has just begun is a bucket",
  );
  t.equal(
    energyWindow(72, at("2026-03-01T18:30:00Z"), "Asia/Kolkata").edges.at(-1),
    at("2026-03-02T18:30:00Z"),
    "and the day",
  );
});

t.test(
  "a series has the mean and the maximum of each bucket, and the integral over the time inside the window",
  async (t) => {
    const window = energyWindow(2, at("2026-03-01T12:30:00Z"), "UTC");
    const energy = energySeries(
      [
        sample("2026-03-01T10:40:00Z", 100),
        sample("2026-03-01T11:00:00Z", 50),
        sample("2026-03-01T11:59:59Z", 150),
        sample("2026-03-01T12:10:00Z", -20),
      ],
      window,
    );
    t.same(energy, {
      granularity: "hour",
      kwh: 0.14, // 100 W × ½ h + 100 W × 1 h − 20 W × ½ h
      series: [
        { at: at("2026-03-01T10:00:00Z"), avg: 100, max: 100 },
        { at: at("2026-03-01T11:00:00Z"), avg: 100, max: 150 },
        { at: at("2026-03-01T12:00:00Z"), avg: -20, max: -20 },
      ],
    });
    t.same(
      energySeries([sample("2026-03-01T12:10:00Z", 3), sample("2026-03-01T10:40:00Z", 1)], window).series.map(
        (bucket) => bucket.at,
      ),
      [at("2026-03-01T10:00:00Z"), at("2026-03-01T12:00:00Z")],
      "ordered by time, in whatever order the samples are",
    );
    t.same(energySeries([], window), { granularity: "hour", kwh: 0, series: [] });
    t.same(
      energySeries([sample("2026-03-01T09:59:59Z", 5), sample("2026-03-01T13:00:00Z", 5)], window).series,
      [],
      "outside the buckets",
    );
    t.equal(energySeries([sample("2026-03-01T11:30:00Z", 1234.5678)], window).kwh, 1.235, "three decimals");
  },
);

t.test("on the days of a clock change a day has 23 and 25 hours", async (t) => {
  const zone = "Europe/Berlin";
  for (const [day, hours] of [
    ["2026-03-29", 23],
    ["2026-10-25", 25],
    ["2026-06-01", 24],
  ] as const) {
    const start = DateTime.fromISO(day, { zone });
    const now = start.plus({ days: 1, hours: 12 }).toMillis();
    const window = energyWindow(72, now, zone);
    const noon = { at: start.plus({ hours: 12 }).toMillis(), count: 1, sum: 1_000, max: 1_000 };
    const energy = energySeries([noon], window);
    t.same(energy.series, [{ at: start.toMillis(), avg: 1_000, max: 1_000 }], `${day} begins at local midnight`);
    t.equal(energy.kwh, hours, `${day} has ${hours} hours`);
  }
});

t.test("if midnight itself does not exist, the day begins at its first moment", async (t) => {
  // Beirut goes from 23:59:59 to 01:00.
  const zone = "Asia/Beirut";
  const now = DateTime.fromISO("2026-03-30T12:00", { zone }).toMillis();
  const { edges } = energyWindow(72, now, zone);
  t.ok(edges.includes(DateTime.fromISO("2026-03-29T01:00", { zone }).toMillis()));
  for (const [index, edge] of edges.entries()) if (index > 0) t.ok(edge > (edges[index - 1] ?? 0), "edges ascend");
});

t.test("a growing counter gives its difference", async (t) => {
  const step = counterStep(
    { at: at("2026-03-01T10:00:00Z"), kwh: 100 },
    { at: at("2026-03-01T10:30:00Z"), kwh: 101.5 },
  );
  t.match(step, {
    kwh: 1.5,
    reset: false,
    quarantined: false,
    estimated: false,
    hours: [{ at: at("2026-03-01T10:00:00Z"), kwh: 1.5 }],
  });
});

t.test("a counter that starts again counts from zero if that is plausible", async (t) => {
  const from = { at: at("2026-03-01T10:00:00Z"), kwh: 100 };
  const later = at("2026-03-01T10:30:00Z");
  t.match(counterStep(from, { at: later, kwh: 2 }), { kwh: 2, reset: true, quarantined: false });
  t.match(
    counterStep(from, { at: later, kwh: 60 }),
    { kwh: 0, reset: true },
    "fell, but not to about zero: the consumption is unknown",
  );
  t.same(counterStep(from, { at: later, kwh: 100 }), {
    kwh: 0,
    reset: false,
    quarantined: false,
    estimated: false,
    hours: [],
  });
});

t.test("a jump beyond the meter's capacity is excluded", async (t) => {
  const from = { at: at("2026-03-01T10:00:00Z"), kwh: 100 };
  const later = at("2026-03-01T11:00:00Z");
  t.match(counterStep(from, { at: later, kwh: 118 }), { kwh: 18, quarantined: false }, "15 kW and a fifth more");
  t.match(counterStep(from, { at: later, kwh: 118.1 }), { kwh: 0, quarantined: true, hours: [] });
  t.match(counterStep(from, { at: later, kwh: 103 }, 2_000), { kwh: 0, quarantined: true });
});

t.test("consumption during a gap is spread over its hours and marked as estimated", async (t) => {
  const step = counterStep({ at: at("2026-03-01T10:30:00Z"), kwh: 100 }, { at: at("2026-03-01T13:00:00Z"), kwh: 105 });
  t.equal(step.estimated, true);
  t.same(step.hours, [
    { at: at("2026-03-01T10:00:00Z"), kwh: 1 },
    { at: at("2026-03-01T11:00:00Z"), kwh: 2 },
    { at: at("2026-03-01T12:00:00Z"), kwh: 2 },
  ]);
  t.equal(
    counterStep({ at: 0, kwh: 100 }, { at: 10 * 24 * HOUR_MS, kwh: 150 }).hours.length,
    240,
    "ten days are still spread",
  );
  const long = counterStep({ at: 0, kwh: 100 }, { at: 11 * 24 * HOUR_MS, kwh: 150 });
  t.match(
    long,
    { kwh: 50, estimated: true, hours: [{ at: 11 * 24 * HOUR_MS - HOUR_MS, kwh: 50 }] },
    "after more than ten days: one step at the end",
  );
});

t.test("readings out of order or without a number give nothing", async (t) => {
  const from = { at: 1_000, kwh: 5 };
  for (const next of [
    { at: 1_000, kwh: 6 },
    { at: 500, kwh: 6 },
    { at: 2_000, kwh: Number.NaN },
    { at: 2_000, kwh: -1 },
  ]) {
    t.same(counterStep(from, next), { kwh: 0, reset: false, quarantined: false, estimated: false, hours: [] });
  }
});
