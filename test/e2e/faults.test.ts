/**
 * The short form of scripts/faults.mjs: a few faults of a hub with a whole household, and a control that has to be
 * detected.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

t.setTimeout(290_000); // half a minute on an otherwise idle machine

t.test(
  "after a fault acknowledged data is kept, nothing is duplicated, the owner gets in, and the hub reports truthfully",
  async (t) => {
    const script = join(PROJECT_ROOT, "scripts/faults.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [script, "--quick", "--seed", "7", "--json"]).catch(
      (error: { stdout: string }) => error,
    );
    const result = JSON.parse(stdout);
    t.same(result.violations, []);
    t.ok(result.faults >= 2, `${result.faults} faults`);
    t.equal(result.controlFound, true, "a deleted backup file whose row stays is detected");
  },
);
