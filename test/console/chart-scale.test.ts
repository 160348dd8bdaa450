/** The numbers beside a chart tell its range, whatever is drawn in it. */
import t from "tap";
import { roundScale } from "../../src/console/components/round-scale.ts";

t.test("three to five round numbers hold any range, at both of its ends", async (t) => {
  for (const [min, max] of [
    [22.2, 23.8],
    [0, 32.6],
    [22.9, 23.1],
    [-12, 41],
    [0, 1],
    [0, 812_345],
    [-0.3, 0],
    [812.1, 812.2],
    [5, 5],
  ] as const) {
    const scale = roundScale(min, max);
    const [first = Number.NaN, last = Number.NaN] = [scale[0], scale.at(-1)];
    const about = `${min} to ${max}: ${scale.join(", ")}`;
    t.ok(min === max || (scale.length >= 3 && scale.length <= 5), about);
    t.ok(first <= min + 1e-6 && last >= max - 1e-6, about);
  }
  t.same(roundScale(0, 32), [0, 10, 20, 30, 40]);
  t.same(roundScale(22.2, 23.8), [22, 22.5, 23, 23.5, 24]);
});
