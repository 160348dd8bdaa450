// @ts-check
// Gives the bridge many damaged messages of every firmware family and watches for crashes and invalid device ids.
//   node scripts/fuzz-bridge.mjs [--messages 10000] [--seed 1]
// Exits 1 when something is wrong; the seed repeats a run exactly.
import { parseArgs } from "node:util";
import { prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
await prepare({ tests: true });
const { mutate } = await import("../test/firmware-bridge/mutations.ts");
const report = await mutate(Number(values.messages), Number(values.seed));
console.log(JSON.stringify({ seed: Number(values.seed), ...report }, null, 2));
const healthy = report.thrown.length === 0 && report.invalidIds.length === 0;
if (!healthy) console.error("a damaged message had an effect");
process.exitCode = healthy ? 0 : 1;
