/** A period beside any other one: as far as it has come. */
import t from "tap";
import { comparedWith } from "../../src/features/energy/console/compared.ts";
import type { HouseEnergy } from "../../src/features/energy/resources/energy.ts";

const DAY = 86_400_000;

function week(monday: string, used: readonly number[]): HouseEnergy {
  const from = Date.parse(monday);
  const sums = {
    ...{ used: used.reduce((all, one) => all + one, 0), fromGrid: 0, toGrid: 0, solar: 0, fromBattery: 0 },
    ...{ toBattery: 0, untracked: null, cost: null },
  };
  return {
    period: "week",
    date: monday.slice(0, 10),
    timeZone: "UTC",
    currency: null,
    from: monday,
    to: new Date(from + 7 * DAY).toISOString(),
    sums,
    buckets: used.map((one, day) => ({ ...sums, at: new Date(from + day * DAY).toISOString(), used: one })),
    devices: [],
    before: { from: monday, sums, soFar: sums, used: [] },
    unplaced: [],
  };
}

const other = week("2026-03-02T00:00:00.000Z", [1, 2, 3, 4, 5, 6, 7]);
const shown = week("2026-06-01T00:00:00.000Z", [2, 2, 1, 0, 0, 0, 0]);

t.test("a week that is over stands beside all of the other one", async (t) => {
  const { before } = comparedWith(shown, other, Date.parse("2026-07-01T00:00:00Z"));
  t.same(before.used, [1, 2, 3, 4, 5, 6, 7]);
  t.equal(before.sums.used, 28);
  t.equal(before.soFar.used, 28);
});

t.test("a week under way stands beside as much of it as it has come itself", async (t) => {
  const { before } = comparedWith(shown, other, Date.parse("2026-06-03T12:00:00Z"));
  t.equal(before.soFar.used, 1 + 2 + 1.5, "two days and half of the third");
  t.equal(before.sums.used, 28);
});

t.test("a month with more days than this one: they count once this one is over", async (t) => {
  const longer = { ...other, buckets: [...other.buckets, { ...(other.buckets[0] as HouseEnergy["buckets"][number]) }] };
  t.equal(comparedWith(shown, longer, Date.parse("2026-07-01T00:00:00Z")).before.soFar.used, 29);
  t.equal(comparedWith(shown, longer, Date.parse("2026-06-03T12:00:00Z")).before.soFar.used, 4.5);
});
