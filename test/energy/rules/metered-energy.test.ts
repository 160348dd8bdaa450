import t from "tap";
import {
  countedEnergy,
  energyMetrics,
  integratedEnergy,
  type MeteredQuarters,
} from "../../../src/features/energy/rules/metered-energy.ts";
import {
  addEnergy,
  isPower,
  LONGEST_GAP_MS,
  type WattHours,
} from "../../../src/features/telemetry/rules/power-integral.ts";

const QUARTER = 900_000;
const FROM = Date.parse("2026-03-01T00:00:00Z");

/** Readings by quarter hour; null: none. */
function counter(readings: readonly (number | null)[], before: MeteredQuarters["before"] = null): MeteredQuarters {
  return {
    fromMs: FROM,
    count: Float64Array.from(readings, (one) => (one === null ? 0 : 1)),
    sum: new Float64Array(readings.length),
    max: Float64Array.from(readings, (one) => one ?? 0),
    wattHours: new Float64Array(readings.length).fill(Number.NaN),
    before,
  };
}

const rounded = (values: Iterable<number>): number[] => [...values].map((value) => Math.round(value * 1e6) / 1e6);

t.test("a counter's differences are in the quarter hours of its readings", async (t) => {
  const plain = countedEnergy(counter([10, 10.5, 12, 12]));
  t.same(rounded(plain.kwh), [0, 0.5, 1.5, 0]);
  t.match(plain, { estimated: false, knownFrom: 1, settled: { place: 2, kwh: 12 } });
  const known = countedEnergy(counter([10, 10.5], { at: FROM - QUARTER, max: 9 }));
  t.same(rounded(known.kwh), [1, 0.5]);
  t.equal(known.knownFrom, 0);
  const none = countedEnergy(counter([null, null]));
  t.same(rounded(none.kwh), [0, 0]);
  t.match(none, { knownFrom: 2, settled: null, estimated: false });
});

t.test("consumption over a gap is spread over it; longer than an hour it is an estimate", async (t) => {
  const hour = countedEnergy(counter([10, null, null, null, 14]));
  t.same(rounded(hour.kwh), [0, 1, 1, 1, 1]);
  t.equal(hour.estimated, false, "four quarters");
  const longer = countedEnergy(counter([10, null, null, null, null, 15]));
  t.same(rounded(longer.kwh), [0, 1, 1, 1, 1, 1]);
  t.equal(longer.estimated, true);
  t.equal(countedEnergy(counter([10, null, null, null, null, 10])).estimated, false, "nothing was consumed");
  const before = countedEnergy(counter([null, 13], { at: FROM - 2 * QUARTER, max: 10 }));
  t.same(rounded(before.kwh), [1, 1], "energy from before the range is not counted in it");
});

t.test("a counter that was rounded, reset or erratic", async (t) => {
  t.same(rounded(countedEnergy(counter([10, 9.95, 10.5])).kwh), [0, 0, 0.5], "rounded");
  t.same(rounded(countedEnergy(counter([100, 0.5, 1])).kwh), [0, 0.5, 0.5], "restarted");
  const wild = countedEnergy(counter([10, 99_999, 10.5, 11]));
  t.same(rounded(wild.kwh), [0, 0.25, 0.25, 0.5], "no house consumes so much");
  const set = countedEnergy(counter([10, 99_999, 100_000, 100_001]));
  t.same(rounded(set.kwh), [0, 0, 1, 1], "set to another total");
});

t.test("a power counts by its integral, or by the mean if that was not stored", async (t) => {
  const quarters: MeteredQuarters = {
    fromMs: FROM,
    count: Float64Array.of(5, 2, 1, 0),
    sum: Float64Array.of(0, 800, 900, 0),
    max: new Float64Array(4),
    wattHours: Float64Array.of(250, Number.NaN, Number.NaN, Number.NaN),
    before: null,
  };
  const energy = integratedEnergy(quarters);
  t.same(rounded(energy.kwh), [0.25, 0.1, 0, 0]);
  t.match(energy, { estimated: true, knownFrom: 0, settled: { place: 1 } });
  const all = integratedEnergy({ ...quarters, wattHours: Float64Array.of(1, -2, 3, 0) });
  t.same(rounded(all.kwh), [0.001, -0.002, 0.003, 0]);
  t.equal(all.estimated, false);
  t.equal(integratedEnergy({ ...quarters, count: Float64Array.of(1, 0, 0, 0) }).settled, null);
});

t.test("a device's metrics are found by the names of its make, from one naming scheme only", async (t) => {
  t.same(energyMetrics(["kwh", "kwhImported", "kwhA", "watts", "power_w", "x"]), {
    imported: ["kwhImported"],
    exported: [],
    powers: ["watts"],
  });
  t.same(energyMetrics(["kwh", "kwh2", "kwhExported", "kwhExported2", "watts", "watts2"]), {
    imported: ["kwh", "kwh2"],
    exported: ["kwhExported", "kwhExported2"],
    powers: ["watts", "watts2"],
  });
  t.same(energyMetrics(["kwhA", "kwhB", "kwhExportedC", "wattsA", "wattsD"]), {
    imported: ["kwhA", "kwhB"],
    exported: ["kwhExportedC"],
    powers: ["wattsA"],
  });
  t.same(energyMetrics(["power_w2", "overpowerWatts"]).powers, ["power_w2"]);
  t.same(["watts", "watts2", "wattsA", "power_w", "kwatts", "watts123", "voltage"].map(isPower), [
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

t.test("two samples are joined by a line, cut at each quarter hour; a long gap counts nothing", async (t) => {
  const energyOf = (...samples: [number, number][]): number[] => {
    const into: WattHours = new Map();
    for (const [index, [at, watts]] of samples.entries()) {
      const next = samples[index + 1];
      if (next !== undefined) addEnergy(into, { at: FROM + at, watts }, { at: FROM + next[0], watts: next[1] });
    }
    return [...into.values()].flatMap((quarters) => rounded(quarters));
  };
  t.same(energyOf([0, 1_000], [QUARTER, 1_000]), [250, Number.NaN, Number.NaN, Number.NaN]);
  t.same(
    energyOf([QUARTER / 2, 0], [QUARTER * 1.5, 1_000]).slice(0, 2),
    [31.25, 93.75],
    "on both sides of the quarter",
  );
  t.same(energyOf([0, 100], [0, 500]), [], "at the same time");
  t.same(energyOf([10, 100], [0, 500]), [], "backwards");
  t.same(energyOf([0, 1_000], [LONGEST_GAP_MS, 1_000]).slice(0, 3), [250, 250, Number.NaN]);
  t.same(energyOf([0, 1_000], [LONGEST_GAP_MS + 1, 1_000]), []);
  t.same(energyOf([0, 1_000], [QUARTER / 2, 1_000], [QUARTER, 3_000]).slice(0, 1), [375], "added up");
  t.same(energyOf([QUARTER * 3, 400], [QUARTER * 5, 400]).slice(3, 5), [100, 100], "over the hour");
});
