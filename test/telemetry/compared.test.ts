/** How a value differs from itself at another time, as the sentence under the chart says it. */
import t from "tap";
import { comparedWith } from "../../src/features/telemetry/console/compared.ts";
import type { Line } from "../../src/features/telemetry/console/history-columns.ts";

const line = (unit: string, values: readonly number[], step = 1_000): Line => ({
  label: "Value",
  unit,
  stepMs: 0,
  points: values.map((avg, n) => ({ at: n * step, avg, min: avg, max: avg })),
});
const even = (value: number, count = 100) => Array.from({ length: count }, () => value);

t.test("power in percent of its mean, a temperature in degrees", async (t) => {
  t.match(comparedWith(line("W", even(112)), line("W", even(100)), "watts"), { kind: "percent", now: 112, past: 100 });
  const { change } = comparedWith(line("W", even(112)), line("W", even(100)), "watts") ?? { change: Number.NaN };
  t.ok(Math.abs(change - 0.12) < 1e-9);
  t.match(comparedWith(line("°C", even(21)), line("°C", even(22.5)), "temperature"), { kind: "amount", change: -1.5 });
});

t.test("a counter by what it counted", async (t) => {
  const counted = (perStep: number, begin: number) => Array.from({ length: 100 }, (_, n) => begin + n * perStep);
  t.match(comparedWith(line("kWh", counted(0.2, 500)), line("kWh", counted(0.1, 10)), "kwh"), { kind: "percent" });
  const { change } = comparedWith(line("kWh", counted(0.2, 500)), line("kWh", counted(0.1, 10)), "kwh") ?? {
    change: 0,
  };
  t.ok(Math.abs(change - 1) < 1e-6, `twice as much: ${change}`);
});

t.test("only the time that both have counts, and nothing is said without any", async (t) => {
  const past = line("W", even(100, 50)); // the first half
  const now = line("W", [...even(100, 50), ...even(1_000, 50)]);
  const { change } = comparedWith(now, past, "watts") ?? { change: Number.NaN };
  t.ok(change < 0.5, `${change}`);
  t.equal(comparedWith(now, line("W", []), "watts"), null);
  t.equal(comparedWith(now, line("W", even(0)), "watts"), null, "of nothing there is no share");
});
