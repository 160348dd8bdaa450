/** Dead buffers of what came in do not pile up. */
import t from "tap";
import { Inflow } from "../../src/core/kernel/inflow.ts";

const MB = 1_048_576;
const PIECE = 65_536;

/** Reads 200 MB piece by piece, as from a socket; returns how much was in memory at most. */
function read(inflow: Pick<Inflow, "add">): number {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let bytes = 0; bytes < 200 * MB; bytes += PIECE) {
    inflow.add(Buffer.allocUnsafeSlow(PIECE).length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  return most / MB;
}

t.test("buffers are freed soon after their bytes were used", async (t) => {
  const most = read(new Inflow());
  t.ok(most < 30, `${most.toFixed(0)} MB at most`);
  const without = read({ add: () => undefined });
  t.ok(without > 40, `${without.toFixed(0)} MB if the collector is left alone`);
});
