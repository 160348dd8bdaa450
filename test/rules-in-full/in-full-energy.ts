import { type Meter, readMeter } from "../../src/features/energy/rules/energy-counter.ts";
import {
  ENERGY_ROLES,
  houseEnergy,
  type MeteredDevice,
  placesOf,
  powerNow,
} from "../../src/features/energy/rules/house-energy.ts";
import {
  countedEnergy,
  energyMetrics,
  integratedEnergy,
  type MeteredQuarters,
} from "../../src/features/energy/rules/metered-energy.ts";
import { quarterPrices, type TariffPrices } from "../../src/features/energy/rules/tariff.ts";
import {
  bucketOf,
  counterStep,
  counterUse,
  energySeries,
  energyWindow,
  HOUR_MS,
  QUARTER_MS,
} from "../../src/features/telemetry/rules/energy.ts";
import { HistorySums, historyBuckets } from "../../src/features/telemetry/rules/history-buckets.ts";
import { addEnergy, isPower, LONGEST_GAP_MS } from "../../src/features/telemetry/rules/power-integral.ts";
import { table } from "../support/recorded.ts";

const START = Date.parse("2026-03-29T00:00:00Z"); // the clocks of Berlin change
const MINUTE = 60_000;
const DAY = 24 * HOUR_MS;
const ZONES = ["UTC", "Asia/Kolkata", "Europe/Berlin", "Nowhere/Land"];
const hours = (edges: readonly number[]): string => edges.map((edge) => String((edge - START) / HOUR_MS)).join(" ");

/** Readings by quarter hour; null: none. */
const quarters = (readings: readonly (number | null)[], before: MeteredQuarters["before"] = null): MeteredQuarters => ({
  fromMs: START,
  count: Float64Array.from(readings, (one, n) => (one === null ? 0 : 1 + (n % 3))),
  sum: Float64Array.from(readings, (one) => (one ?? 0) * 10),
  max: Float64Array.from(readings, (one) => one ?? 0),
  wattHours: Float64Array.from(readings, (one, n) => (n % 2 === 0 ? Number.NaN : (one ?? Number.NaN))),
  before,
});

const COUNTERS: Record<string, readonly (number | null)[]> = {
  none: [],
  "nothing known": [null, null],
  plain: [10, 10.5, 12, 12],
  "a gap of an hour": [10, null, null, null, 14, 15],
  "a longer gap": [10, null, null, null, null, 15, 16],
  "a gap without use": [10, null, null, null, null, 10],
  rounded: [10, 9.95, 9.91, 10.5],
  "rounded by too much": [10, 9.9, 10.5],
  "rounded at nothing": [0.15, 0.1, 0.2],
  reset: [100, 0.5, 1],
  "reset to too much": [100, 5, 6],
  "the most a house draws": [10, 40, 40],
  "and more": [10, 40.01, 40.02, 40.5],
  wild: [10, 99_999, 10.5, 11],
  "set to another total": [10, 99_999, 100_000, 100_001],
  "set, and less": [10, 99_999, 99_998, 99_999],
  "wild twice": [10, 99_999, 500_000, 10.5],
};

function steps(): Record<string, unknown> {
  const gaps = [-1, 0, 1, 900_000, HOUR_MS, HOUR_MS + 1, 240 * HOUR_MS, 240 * HOUR_MS + 1];
  const totals = [-1, 0, 4.99, 5, 99, 100, 100.5, 118, 118.01, Number.NaN];
  return table(gaps, (gap) =>
    totals
      .map((kwh) => {
        const {
          kwh: used,
          reset,
          quarantined,
          estimated,
        } = counterUse({ at: START + 1, kwh: 100 }, { at: START + 1 + gap, kwh }, 15_000);
        return `${Number(used.toFixed(6))}${reset ? "r" : ""}${quarantined ? "q" : ""}${estimated ? "e" : ""}`;
      })
      .join(" "),
  );
}

function meters(): Record<string, unknown> {
  const first: Meter = { raw: 1_000, at: START, epoch: "a", total: 5_000, estimated: false, suspect: null };
  const suspect = { ...first, suspect: { raw: 90_000, at: START + MINUTE } };
  const read = (meter: Meter | null, wattHours: number, ms: number, epoch: string | null) =>
    readMeter(meter, { wattHours, at: START + ms, epoch });
  return {
    ...table(
      [
        [1_100, HOUR_MS, "a"],
        [1_100, HOUR_MS + 1, null],
        [1_100, 3 * HOUR_MS, "a"],
        [1_000, 3 * HOUR_MS, "a"],
        [1_100, 0, "a"],
        [1_100, -1, "a"],
        [Number.NaN, HOUR_MS, "a"],
        [-1, HOUR_MS, "a"],
        [0, HOUR_MS, "a"],
        [40, HOUR_MS, "a"],
        [60, HOUR_MS, "a"],
        [40, HOUR_MS, "b"],
        [900, HOUR_MS, "b"],
        [90_000, HOUR_MS, "a"],
        [19_000, HOUR_MS, "a"],
        [19_001, HOUR_MS, "a"],
      ] as const,
      ([wattHours, ms, epoch]) => read(first, wattHours, ms, epoch),
    ),
    ...table(
      [89_999, 90_000, 90_100, 1_100, 500_000] as const,
      (wattHours) => read(suspect, wattHours, 2 * HOUR_MS, null),
      (one) => `after a wild one: ${one}`,
    ),
    first: read(null, 7, 0, null),
    "without an epoch": read({ ...first, epoch: null }, 1_100, HOUR_MS, "b"),
    "estimated before": read({ ...first, estimated: true }, 1_100, HOUR_MS, null),
  };
}

function house(): Record<string, unknown> {
  const device = (id: string, role: MeteredDevice["role"], more: Partial<MeteredDevice> = {}): MeteredDevice => ({
    ...{ id, role, behind: null, reversed: false, imported: [1, 2, 4], exported: [0.5, 0, 8], cost: null, paid: null },
    ...more,
  });
  const prices = { cost: [10, 20, 40], paid: [1, 0, 16] };
  const houses: Record<string, MeteredDevice[]> = {
    none: [],
    loads: [
      device("a", "load", prices),
      device("b", "load", { behind: "a" }),
      device("c", "load", { behind: "gone" }),
      device("x", "none"),
    ],
    grid: [
      device("g", "grid", prices),
      device("a", "load", prices),
      device("b", "load", { behind: "a", imported: [9] }),
    ],
    "two grids": [device("g", "grid", prices), device("h", "grid")],
    plant: [
      device("g", "grid"),
      device("s", "solar"),
      device("t", "solar", { imported: [0, 0, 0], exported: [1, 1, 1] }),
    ],
    battery: [device("g", "grid", { imported: [0, 0, 0] }), device("k", "battery", prices)],
    "behind no load": [device("s", "solar"), device("a", "load", { behind: "s" })],
    short: [device("a", "load", { imported: [1] })],
  };
  const known = (role: MeteredDevice["role"]) => ({ role, behind: null, reversed: true });
  return {
    ...table(
      Object.keys(houses),
      (name) => [houseEnergy(houses[name] ?? [], 0, 3), houseEnergy(houses[name] ?? [], 1, 2).sums],
      String,
    ),
    power: ENERGY_ROLES.flatMap((role) =>
      [null, 0, 5, -5].map((watts) =>
        [false, true].map((reversed) => [
          powerNow([{ ...known(role), id: "a", watts, reversed }]),
          powerNow([
            { ...known(role), id: "a", watts, reversed },
            { ...known("grid"), id: "g", watts: 7, reversed: false },
            { ...known("load"), id: "b", watts: 3, behind: "a" },
          ]),
        ]),
      ),
    ),
    places: [0, 1, 2].flatMap((count) =>
      [new Map(), new Map([["m0", known("grid")]]), new Map([["plug", known("solar")]])].map((said) => [
        ...placesOf(
          [
            ...Array.from({ length: count }, (_, n) => ({ id: `m${n}`, type: "energy-meter", measures: true })),
            { id: "plug", type: "smart-plug", measures: true },
            { id: "lamp", type: "light", measures: false },
          ],
          said,
        ),
      ]),
    ),
  };
}

async function prices(): Promise<Record<string, unknown>> {
  const price = (more: Partial<TariffPrices>): TariffPrices => ({
    validFrom: null,
    perKwh: 8,
    exportPerKwh: 3,
    periods: [],
    ...more,
  });
  const period = (from: string, to: string, perKwh: number, days: number[] = []) => ({ from, to, perKwh, days });
  const tariffs: Record<string, TariffPrices[]> = {
    none: [],
    nothing: [price({ perKwh: 0, exportPerKwh: 0 })],
    "nothing but a period": [price({ perKwh: 0, exportPerKwh: 0, periods: [period("00:00", "00:15", 0)] })],
    "only what is paid": [price({ perKwh: 0 })],
    plain: [price({})],
    "from the next day on": [price({ validFrom: "2026-03-30", perKwh: 9 }), price({ validFrom: "2026-03-29" })],
    "from nowhere": [price({ validFrom: "2026-03-30" })],
    peak: [price({ periods: [period("06:15", "09:00", 12)] })],
    "two peaks": [price({ periods: [period("01:45", "03:15", 12), period("02:00", "05:00", 5)] })],
    "nights of Sunday": [price({ periods: [period("22:00", "06:00", 4, [7])] })],
    "nights of Saturday": [price({ periods: [period("22:00", "06:00", 4, [6])] })],
    "another each hour": [
      price({
        periods: Array.from({ length: 24 }, (_, hour) =>
          period(`${String(hour).padStart(2, "0")}:00`, `${String((hour + 1) % 24).padStart(2, "0")}:00`, hour),
        ),
      }),
    ],
    "whole Mondays": [price({ periods: [period("00:00", "00:00", 4, [1])] })],
  };
  const changes = (values: Float64Array): string =>
    [...values].flatMap((value, at, all) => (value === all[at - 1] ? [] : [`${at}:${value}`])).join(" ");
  const found: Record<string, unknown> = {};
  for (const [name, list] of Object.entries(tariffs))
    for (const [zone, ms, count] of [
      ["UTC", 0, 200],
      ["Europe/Berlin", -HOUR_MS, 188],
      ["Asia/Kolkata", 5 * QUARTER_MS, 100],
      ["Asia/Kathmandu", 14 * HOUR_MS, 20],
    ] as const) {
      const answer = await quarterPrices(
        { currency: "INR", prices: list },
        { fromMs: START + ms, count, timeZone: zone },
      );
      found[`${name}, ${zone}`] = answer && [changes(answer.perKwh), changes(answer.exportPerKwh)];
    }
  return found;
}

function integrals(): Record<string, unknown> {
  const sample = (ms: number, watts: number) => ({ at: START + ms, watts });
  const pairs: [string, ReturnType<typeof sample>, ReturnType<typeof sample>][] = [
    ["a quarter", sample(0, 100), sample(QUARTER_MS, 100)],
    ["over an edge", sample(QUARTER_MS - MINUTE, 100), sample(QUARTER_MS + MINUTE, 200)],
    ["over an hour", sample(HOUR_MS - MINUTE, 100), sample(HOUR_MS + MINUTE, -100)],
    ["the longest gap", sample(1, 100), sample(LONGEST_GAP_MS + 1, 100)],
    ["a longer one", sample(1, 100), sample(LONGEST_GAP_MS + 2, 100)],
    ["no time", sample(0, 100), sample(0, 100)],
    ["back in time", sample(1, 100), sample(0, 100)],
  ];
  return {
    ...table(
      pairs,
      ([, previous, next]) => {
        const into = new Map<number, Float64Array>();
        addEnergy(into, previous, next);
        const known = new Map<number, Float64Array>([
          [START / HOUR_MS, Float64Array.from([1, Number.NaN, 1, Number.NaN])],
        ]);
        addEnergy(known, previous, next);
        return [into, known].map((hoursOf) =>
          [...hoursOf].map(([hour, values]) => [hour - START / HOUR_MS, ...[...values].map(String)]),
        );
      },
      ([name]) => name,
    ),
    powers: [
      "watts",
      "watts2",
      "watts12",
      "watts123",
      "wattsA",
      "wattsAB",
      "power_w",
      "power_w3",
      "power",
      "xwatts",
    ].map(isPower),
  };
}

function histories(): Record<string, unknown> {
  const lengths = [10_000, 10 * MINUTE, 30 * MINUTE, HOUR_MS, 5 * HOUR_MS, DAY, 3 * DAY, 40 * DAY];
  const sums = new HistorySums([0, 10, 20, 30]);
  const part = (at: number, count: number, min: number | null) => ({ at, count, sum: at * count, max: at, min });
  for (const one of [
    part(-1, 1, 0),
    part(0, 1, 0),
    part(9, 2, 3),
    part(29, 1, null),
    part(10, 0, 1),
    part(30, 1, 1),
    part(25, 1, 4),
    part(5, 1, -1),
    part(19, 1, 2),
    part(20, 1, 1),
  ])
    sums.add(one);
  const scrambled = new HistorySums([0, 10, 20, 35, 40, 70]);
  for (const at of [69, 0, 34, 35, 70, 9, 10, -1, 40, 39, 20, 19, 5, 50, 36]) scrambled.add(part(at, 1, at));
  const none = new HistorySums([]);
  none.add(part(0, 1, 0));
  const single = new HistorySums([5]);
  single.add(part(5, 1, 0));
  return {
    ...table(
      ZONES.flatMap((timeZone) => lengths.map((length) => ({ timeZone, length }))),
      ({ timeZone, length }) =>
        [10, 100].map((points) => {
          const { stepMs, edges } = historyBuckets({
            fromMs: START + 1_234,
            toMs: START + 1_234 + length,
            points,
            timeZone,
          });
          return [stepMs, edges.length, hours([...edges.slice(0, 3), ...edges.slice(-2)])];
        }),
    ),
    "not finer": [1, QUARTER_MS, QUARTER_MS + 1, DAY + 1].map(
      (finestMs) =>
        historyBuckets({ fromMs: START, toMs: START + HOUR_MS, points: 60, timeZone: "UTC", finestMs }).stepMs,
    ),
    sums: [sums.points(), none.points(), single.points()],
    "places of buckets": [[], [5], [0, 10], [0, 10, 20, 35, 40, 70]].map((edges) =>
      [-1, 0, 4, 5, 9, 10, 19, 20, 34, 35, 39, 40, 69, 70].map((at) => bucketOf(edges, at)).join(" "),
    ),
    "in any order": scrambled.points(),
  };
}

/** The tables of energy. */
export async function energyTables(): Promise<Record<string, Record<string, unknown>>> {
  const part = (ms: number, count: number, sum: number) => ({ at: START + ms, count, sum, max: sum });
  const metrics = [
    "kwh",
    "kwh2",
    "kwhA",
    "kwhImported",
    "kwhImported2",
    "kwhExported",
    "kwhExportedB",
    "watts",
    "watts2",
    "wattsC",
    "power_w",
    "kwh123",
    "volts",
  ];
  return {
    windows: table(
      ZONES.flatMap((zone) => [1, 48, 49, 72].map((length) => [zone, length] as const)),
      ([zone, length]) =>
        [0, 30 * MINUTE].map((ms) => {
          const { from, to, granularity, edges } = energyWindow(length, START + ms, zone);
          return [hours([from, to]), granularity, edges.length, hours([...edges.slice(0, 2), ...edges.slice(-2)])];
        }),
    ),
    series: table([1, 3, 49], (length) => {
      const window = energyWindow(length, START + 90 * MINUTE, "UTC");
      const first = (window.edges[0] ?? 0) - START;
      const last = (window.edges.at(-1) ?? 0) - START;
      const parts = [
        part(first - 1, 1, 9_000),
        part(first, 1, 1_000),
        part(60 * MINUTE - 1, 2, 500),
        part(60 * MINUTE, 1, -300),
        part(61 * MINUTE, 0, 7),
        part(last - 1, 1, 200),
        part(last, 1, 9_000),
      ];
      const { kwh, granularity, series } = energySeries(parts, window);
      return [
        granularity,
        kwh,
        series.map(({ at, avg, max }) => [(at - START) / HOUR_MS, avg, max]),
        energySeries([], window).kwh,
      ];
    }),
    steps: steps(),
    spread: table([HOUR_MS, 90 * MINUTE, 240 * HOUR_MS, 240 * HOUR_MS + 1], (gap) => {
      const { hours: all } = counterStep(
        { at: START + 20 * MINUTE, kwh: 1 },
        { at: START + 20 * MINUTE + gap, kwh: 5 },
      );
      return [all.length, [...all.slice(0, 2), ...all.slice(-2)].map(({ at, kwh }) => [(at - START) / HOUR_MS, kwh])];
    }),
    "spread of nothing": {
      hours: counterStep({ at: START, kwh: 5 }, { at: START + HOUR_MS, kwh: 5 }).hours,
      default: counterStep({ at: 0, kwh: 0 }, { at: HOUR_MS, kwh: 18.01 }).quarantined,
    },
    meters: meters(),
    counted: table(
      Object.keys(COUNTERS),
      (name) => [
        countedEnergy(quarters(COUNTERS[name] ?? [])),
        ...[1, 2, 6].map((ago) =>
          countedEnergy(quarters(COUNTERS[name] ?? [], { at: START - ago * QUARTER_MS, max: 9 })),
        ),
      ],
      String,
    ),
    integrated: table(Object.keys(COUNTERS), (name) => integratedEnergy(quarters(COUNTERS[name] ?? [])), String),
    metrics: {
      all: energyMetrics(metrics),
      ...table(
        [metrics.slice(0, 3), ["kwhA", "kwhB", "kwhExportedA"], ["wattsA", "power_w"], ["power_w2"], []],
        energyMetrics,
      ),
    },
    house: house(),
    prices: await prices(),
    integrals: integrals(),
    histories: histories(),
  };
}
