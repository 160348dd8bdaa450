/** Shares that make up the whole make up 100 %. */
import t from "tap";
import { sharesOf } from "../../../src/features/energy/rules/shares.ts";

const sum = (shares: readonly number[]): number => shares.reduce((all, one) => all + one, 0);

for (const [what, parts, whole, shares] of [
  ["as they were seen to make 101", [2.06, 0.16, 0.15, 0, 7.43], 9.8, [21, 2, 1, 0, 76]],
  ["thirds", [1, 1, 1], 3, [34, 33, 33]],
  ["parts that are not the whole are rounded alone", [1, 1], 3, [33, 33]],
  ["one", [5], 5, [100]],
  ["nothing was used", [0, 0], 0, [0, 0]],
] as const)
  t.test(what, async (t) => {
    t.same(sharesOf(parts, whole), shares);
  });

t.test("any parts of a whole", async (t) => {
  for (let count = 1; count < 40; count++) {
    const parts = Array.from({ length: count }, (_, n) => ((n * 37) % 11) + 0.3);
    t.equal(sum(sharesOf(parts, sum(parts))), 100, `${count} parts`);
  }
});
