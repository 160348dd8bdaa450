/** The line of a chart: no denser than it can be drawn, with what is left out as the band around it, and open at gaps. */
import t from "tap";
import { columnsOf, hasRange } from "../../src/features/telemetry/console/history-columns.ts";

/** Samples every ten seconds that jump up and down. */
const dense = Array.from({ length: 600 }, (_, n) => {
  const value = n % 2 === 0 ? 100 : 500;
  return { at: n * 10_000, avg: value, min: value, max: value };
});
const line = (points: typeof dense) => ({ label: "Power", unit: "W", stepMs: 0, points });

t.test("samples of one pixel become one point, and the band tells how far they lay apart", async (t) => {
  const [times, means, lows, highs] = columnsOf(line(dense), 200_000);
  t.equal(times.length, 30);
  t.same(new Set(means), new Set([300]), "no block from 100 to 500");
  t.same([Math.min(...lows.map(Number)), Math.max(...highs.map(Number))], [100, 500]);
  t.ok(hasRange(columnsOf(line(dense), 200_000)), "which the legend explains");
  t.notOk(hasRange(columnsOf(line(dense.slice(0, 10)), 10_000)), "single samples have none");
});

t.test("where there is room every sample is drawn", async (t) => {
  const [times, means] = columnsOf(line(dense.slice(0, 10)), 10_000);
  t.same(times, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  t.same(means.slice(0, 2), [100, 500]);
});

t.test("a gap stays open, also within one pixel", async (t) => {
  const apart = [...dense.slice(0, 30), ...dense.slice(100, 130)];
  const [, means] = columnsOf(line(apart), 10_000_000);
  t.same(means, [300, null, 300]);
});

t.test("a line does not end in a tuft where dense samples begin", async (t) => {
  const sparse = Array.from({ length: 140 }, (_, n) => ({ at: n * 600_000, avg: 300, min: 300, max: 300 }));
  const tail = Array.from({ length: 30 }, (_, n) => {
    const value = n % 2 === 0 ? 100 : 500;
    return { at: 140 * 600_000 + n * 60_000, avg: value, min: value, max: value };
  });
  const [times, means] = columnsOf(line([...sparse, ...tail]), 60_000);
  t.ok(times.length >= 140 && times.length <= 146, `${times.length} points`);
  t.ok(
    means.every((mean) => mean !== null && mean > 200 && mean < 400),
    "the dense end is drawn as the rest is",
  );
});
