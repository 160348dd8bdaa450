/** How much of a house's energy is its own: said only where the hub measures it. */
import t from "tap";
import type { HouseSums } from "../../../src/features/energy/rules/house-energy.ts";
import { looksReversed, ownShares } from "../../../src/features/energy/rules/own-shares.ts";

const sums = (more: Partial<HouseSums>): HouseSums => ({
  ...{ used: 0, fromGrid: 0, toGrid: 0, solar: 0, fromBattery: 0, toBattery: 0, untracked: 0, cost: null },
  ...more,
});

t.test("panels: 10 made, 4 fed back, 6 bought", async (t) => {
  t.same(ownShares(sums({ used: 12, fromGrid: 6, toGrid: 4, solar: 10 })), { ofUsed: 0.5, ofSolar: 0.6 });
});

t.test("a battery that was charged the day before counts for what it gives", async (t) => {
  t.same(ownShares(sums({ used: 4, fromGrid: 1, fromBattery: 3 })), { ofUsed: 0.75, ofSolar: null });
});

t.test("a battery that is charged from the grid makes no share below none", async (t) => {
  t.same(ownShares(sums({ used: 5, fromGrid: 9, solar: 1, toBattery: 5 })), { ofUsed: 0, ofSolar: 1 });
});

t.test("nothing is said without panels or a battery, without a meter of the grid, or of no use", async (t) => {
  t.equal(ownShares(sums({ used: 5, fromGrid: 5 })), null);
  t.equal(ownShares(sums({ used: 5, solar: 5, untracked: null })), null);
  t.equal(ownShares(sums({ solar: 5, toGrid: 5 })), null);
});

t.test("a meter that seems to count the other way is named only where nothing explains what went out", async (t) => {
  const meter = [{ role: "grid" }, { role: "load" }] as const;
  t.equal(looksReversed({ fromGrid: 0.1, toGrid: 8 }, meter), true);
  t.equal(looksReversed({ fromGrid: 0.1, toGrid: 8 }, [...meter, { role: "solar" }]), false, "the panels do");
  t.equal(looksReversed({ fromGrid: 9, toGrid: 8 }, meter), false, "more came in");
  t.equal(looksReversed({ fromGrid: 0, toGrid: 0.01 }, meter), false, "noise");
});
