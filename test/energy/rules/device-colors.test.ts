/** One device, one colour: whatever its rank, and whatever is shown beside it. */
import t from "tap";
import { DEVICE_COLORS, deviceColors } from "../../../src/features/energy/rules/device-colors.ts";

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `meter-${n * 7}`);

t.test("with no more devices than colours, each keeps its own, in any selection", async (t) => {
  const all = ids(DEVICE_COLORS.length);
  const own = deviceColors(all, all);
  t.equal(new Set(own.values()).size, all.length, "all differ");
  for (const shown of [all.slice(0, 5), all.slice(3, 8), all.slice(5).toReversed()])
    t.same(
      [...deviceColors(all, shown)],
      [...shown].sort().map((id) => [id, own.get(id)]),
    );
});

t.test("of two hundred devices, those that are shown together differ", async (t) => {
  const all = ids(200);
  for (let from = 0; from < 190; from += 13) {
    const shown = all.slice(from, from + 5);
    const colors = deviceColors(all, shown);
    t.equal(new Set(colors.values()).size, 5);
    t.same([...deviceColors(all.toReversed(), shown.toReversed())], [...colors], "whatever their order");
  }
});

t.test("a device that nobody has listed has a colour too", async (t) => {
  t.equal(deviceColors([], ["one", "two"]).size, 2);
});
