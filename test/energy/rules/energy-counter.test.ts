import t from "tap";
import { type Meter, type MeterStep, readMeter } from "../../../src/features/energy/rules/energy-counter.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse("2026-03-01T12:00:00Z");

/** Readings at minutes after the start, one after the other. */
function run(...readings: readonly (readonly [minutes: number, wattHours: number, epoch?: string])[]): MeterStep[] {
  let meter: Meter | null = null;
  return readings.map(([minutes, wattHours, epoch]) => {
    const step: MeterStep = readMeter(meter, { at: START + minutes * MINUTE, wattHours, epoch: epoch ?? null });
    meter = step.meter;
    return step;
  });
}

const totals = (steps: readonly MeterStep[]): number[] =>
  steps.map(({ meter }) => Math.round(meter.total * 1000) / 1000);

t.test("a counter that grows is its own total", async (t) => {
  const steps = run([0, 500], [10, 600], [20, 600], [30, 750.5]);
  t.same(totals(steps), [500, 600, 600, 750.5]);
  t.same(totals(run([0, 0], [1, 0.25], [2, 0.5])), [0, 0.25, 0.5], "from nothing, in parts of a watt-hour");
  t.notOk(steps.at(-1)?.meter.estimated);
});

t.test("a small count after a reset is consumption since; a step back to a large one adds nothing", async (t) => {
  t.same(totals(run([0, 10_000], [10, 100], [20, 200])), [10_000, 10_100, 10_200]);
  const back = run([0, 10_000], [10, 9_900], [20, 10_000]);
  t.same(totals(back), [10_000, 10_000, 10_100]);
  t.ok(back.at(-1)?.meter.estimated, "and is marked");
});

t.test("a device's own mark of a reset counts, however large the new count is", async (t) => {
  t.same(totals(run([0, 1_000, "2025"], [10, 900, "2026"])), [1_000, 1_900]);
});

t.test("an outlier adds nothing unless the next reading continues from it, and never the difference", async (t) => {
  const wild = run([0, 1_000], [10, 9_000_000], [20, 1_100]);
  t.same(totals(wild), [1_000, 1_000, 1_100]);
  t.same(
    wild.map(({ quarantined }) => quarantined),
    [false, true, false],
  );
  const set = run([0, 1_000], [10, 9_000_000], [20, 9_000_050], [30, 9_000_100]);
  t.same(totals(set), [1_000, 1_000, 1_050, 1_100], "a counter that was set to another total");
  t.same(
    set.map(({ meter }) => meter.estimated),
    [false, false, true, true],
    "and is marked",
  );
  t.same(
    totals(run([0, 1_000], [10, 9_000_000], [20, 9_000_000], [30, 9_000_050])),
    [1_000, 1_000, 1_000, 1_050],
    "even if it stands still at first",
  );
  const still = run([0, 1_000], [10, 9_000_000], [20, 9_000_000]).at(-1)?.meter;
  t.match(still, { raw: 9_000_000, suspect: null }, "the second time it is accepted");
});

t.test("a meter's default limit is 15 kW and a fifth more", async (t) => {
  const after = (wattHours: number) => run([0, 1_000], [60, 1_000 + wattHours]).at(-1)?.quarantined;
  t.same([after(18_000), after(18_001)], [false, true]);
});

t.test("consumption during a gap is spread over its hours and marked as estimated", async (t) => {
  const [, step] = run([0, 1_000], [180, 4_000]);
  t.same(step?.between, [
    { at: START + HOUR, kwh: 2 },
    { at: START + 2 * HOUR, kwh: 3 },
  ]);
  t.match(step?.meter, { total: 4_000, estimated: true });
  t.same(run([30, 1_000], [90, 2_000]).at(-1)?.between, [], "an hour is not a gap, wherever it begins");
  const [, fortnight] = run([0, 1_000], [14 * 24 * 60, 50_000]);
  t.match(fortnight, { meter: { total: 50_000, estimated: true }, between: [] }, "beyond ten days in one step");
});

t.test("a reading that is not later, or not a number, changes nothing", async (t) => {
  t.same(
    totals(run([10, 1_000], [10, 2_000], [5, 3_000], [20, Number.NaN], [30, -5])),
    [1_000, 1_000, 1_000, 1_000, 1_000],
  );
});
