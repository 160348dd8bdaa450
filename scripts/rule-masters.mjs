// @ts-check
/**
 * node scripts/rule-masters.mjs [--sequences 100000] [--seed 1] [--first 0]
 *
 * Compares random sequences of edits of plate rules, by every party that may edit them, with a plain model
 * (test/gate/masters.test.ts), in parts of 1,000 sequences, each with a seed of its own. `--first` continues an
 * interrupted run, or splits the work. Exits 1 at the first difference.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepare, root } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "0" },
  },
});
await prepare({ tests: true });

const PART = 1_000;
const [sequences, seed, first] = [Number(values.sequences), Number(values.seed), Number(values.first)];
for (let at = first; at < first + sequences; at += PART) {
  const env = {
    ...process.env,
    GATEHOUSE_SEQUENCES: String(Math.min(PART, first + sequences - at)),
    GATEHOUSE_SEED: String(seed * 1_000_003 + at / PART),
  };
  const { status, stdout } = spawnSync(process.execPath, [join(root, "test/gate/masters.test.ts")], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) {
    process.stdout.write(`a difference between ${at} and ${at + PART} of seed ${seed}\n${stdout}`);
    process.exit(1);
  }
  process.stdout.write(`up to ${at + PART}: no difference\n`);
}
