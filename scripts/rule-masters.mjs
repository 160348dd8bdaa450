// @ts-check
/**
 * Compares random sequences of edits of plate rules, by every party that may edit them, with a plain model:
 * `node scripts/rule-masters.mjs [--sequences 100000] [--seed N]`. Exits 1 on any difference.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: { sequences: { type: "string", default: "100000" }, seed: { type: "string" } },
});
await prepare({ tests: true });
const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "test.mjs"), "test/gate/masters.test.ts"], {
  stdio: "inherit",
  env: { ...process.env, GATEHOUSE_SEQUENCES: values.sequences, GATEHOUSE_SEED: values.seed ?? "" },
});
process.exit(status ?? 1);
