/** What a period is likely to end with: said only where it can be said honestly. */
import t from "tap";
import { outlookOf } from "../../src/features/energy/console/outlook.ts";
import type { HouseEnergy } from "../../src/features/energy/resources/energy.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const sums = (used: number, cost: number | null): HouseEnergy["sums"] => ({
  used,
  fromGrid: used,
  toGrid: 0,
  solar: 0,
  fromBattery: 0,
  toBattery: 0,
  untracked: null,
  cost,
});
const start = Date.parse("2026-11-01T00:00:00Z");

function report(period: HouseEnergy["period"], lengthMs: number, more: Partial<HouseEnergy>): HouseEnergy {
  return {
    period,
    date: "2026-11-01",
    timeZone: "UTC",
    currency: "INR",
    from: new Date(start).toISOString(),
    to: new Date(start + lengthMs).toISOString(),
    sums: sums(0, null),
    buckets: [],
    devices: [],
    before: { from: new Date(start - lengthMs).toISOString(), sums: sums(0, null), soFar: sums(0, null), used: [] },
    unplaced: [],
    ...more,
  };
}

t.test("the rest of a day is like that of the day before", async (t) => {
  const before = { from: "", sums: sums(12, 96), soFar: sums(5, 40), used: [] };
  const day = report("day", DAY, { sums: sums(6, 48), before });
  t.same(outlookOf(day, start + 10 * HOUR), { kwh: 13, cost: 104, by: "before" });
  t.equal(outlookOf(day, start + 23.5 * HOUR), null, "hardly anything is left");
  t.equal(outlookOf(day, start + 2 * DAY), null, "it is over");
  t.equal(outlookOf({ ...day, before: { ...before, sums: sums(5, 40) } }, start + HOUR), null, "nothing is known");
  t.match(outlookOf({ ...day, sums: sums(6, null) }, start + HOUR), { cost: null }, "no prices, no cost");
});

t.test("anything longer goes on at its average since the first measurement", async (t) => {
  const buckets = Array.from({ length: 30 }, (_, day) => ({
    at: new Date(start + day * DAY).toISOString(),
    ...sums(day >= 5 && day < 15 ? 10 : 0, null),
  }));
  const month = report("month", 30 * DAY, { sums: sums(100, 850), buckets });
  t.match(outlookOf(month, start + 15 * DAY), { kwh: 250, cost: 2_125, by: "pace" }, "ten days of 10 kWh, 15 to come");
  t.equal(outlookOf(month, start + 6 * DAY), null, "one day is no average");
});
