import t from "tap";
import { quarterPrices, type Tariff, type TariffPrices } from "../../../src/features/energy/rules/tariff.ts";

const QUARTER = 900_000;
const DAY = { perKwh: 8, exportPerKwh: 3, periods: [], validFrom: null };

async function pricesOf(prices: readonly Partial<TariffPrices>[], from: string, count: number, timeZone = "UTC") {
  const tariff: Tariff = { currency: "INR", prices: prices.map((price) => ({ ...DAY, ...price })) };
  const found = await quarterPrices(tariff, { fromMs: Date.parse(from), count, timeZone });
  return found === null ? null : [...found.perKwh];
}

/** The times and values of price changes: quarter hour and price. */
function changes(prices: readonly number[] | null): [number, number][] {
  return (prices ?? []).flatMap((price, at, all): [number, number][] => (price === all[at - 1] ? [] : [[at, price]]));
}

t.test("there are prices as soon as one is set", async (t) => {
  t.equal(await quarterPrices(null, { fromMs: 0, count: 4, timeZone: "UTC" }), null);
  t.equal(await pricesOf([], "2026-03-02T00:00:00Z", 4), null);
  t.equal(await pricesOf([{ perKwh: 0, exportPerKwh: 0 }], "2026-03-02T00:00:00Z", 4), null);
  t.same(await pricesOf([{ perKwh: 0, exportPerKwh: 1 }], "2026-03-02T00:00:00Z", 2), [0, 0]);
  t.same(await pricesOf([{ perKwh: 8, exportPerKwh: 0 }], "2026-03-02T00:00:00Z", 2), [8, 8]);
  const tariff: Tariff = { currency: "INR", prices: [DAY] };
  const found = await quarterPrices(tariff, { fromMs: Date.parse("2026-03-02T23:30:00Z"), count: 4, timeZone: "UTC" });
  t.same([...(found?.exportPerKwh ?? [])], [3, 3, 3, 3]);
});

t.test("a new price applies from its local day on, in whatever order it was entered", async (t) => {
  const prices = [
    { validFrom: "2026-03-03", perKwh: 9 },
    { validFrom: "2026-03-02", perKwh: 8 },
  ];
  const found = await pricesOf(prices, "2026-03-01T00:00:00Z", 4 * 24 * 4);
  t.same(changes(found), [
    [0, 0],
    [96, 8],
    [192, 9],
  ]);
  t.same(changes(await pricesOf(prices, "2026-03-01T18:15:00Z", 8, "Asia/Kolkata")), [
    [0, 0],
    [1, 8],
  ]);
});

t.test("a period lasts from its beginning up to its end, on its days; the first match counts", async (t) => {
  const period = (from: string, to: string, perKwh: number, days: number[] = []) => ({ from, to, perKwh, days });
  const monday = "2026-03-02T00:00:00Z";
  t.same(changes(await pricesOf([{ periods: [period("06:00", "09:15", 12)] }], monday, 96)), [
    [0, 8],
    [24, 12],
    [37, 8],
  ]);
  t.same(
    changes(await pricesOf([{ periods: [period("06:00", "09:00", 12), period("08:00", "10:00", 5)] }], monday, 96)),
    [
      [0, 8],
      [24, 12],
      [36, 5],
      [40, 8],
    ],
  );
  const night = await pricesOf([{ periods: [period("22:00", "06:00", 4, [1, 7])] }], monday, 2 * 96);
  t.same(
    changes(night),
    [
      [0, 4],
      [24, 8],
      [88, 4],
      [96 + 24, 8],
    ],
    "the night of Sunday, and that of Monday, but not Tuesday's",
  );
  t.same(
    changes(await pricesOf([{ periods: [period("00:00", "00:00", 4, [2])] }], monday, 3 * 96)),
    [
      [0, 8],
      [96, 4],
      [192, 8],
    ],
    "a whole day",
  );
});

t.test("on the day of a clock change, the wall clock decides", async (t) => {
  const periods = [{ from: "06:00", to: "07:00", perKwh: 12, days: [] }];
  const spring = await pricesOf([{ periods }], "2026-03-28T23:00:00Z", 92, "Europe/Berlin");
  t.same(changes(spring), [
    [0, 8],
    [20, 12],
    [24, 8],
  ]);
  const autumn = await pricesOf([{ periods }], "2026-10-24T22:00:00Z", 100, "Europe/Berlin");
  t.same(changes(autumn), [
    [0, 8],
    [28, 12],
    [32, 8],
  ]);
  const midday = await pricesOf([{ periods }], new Date(Date.parse("2026-03-02T05:30:00Z")).toISOString(), 4);
  t.same(midday, [8, 8, 12, 12], `from the middle of a day, ${QUARTER / 60_000} minutes each`);
});
