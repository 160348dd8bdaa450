/**
 * The short form of scripts/faults.mjs: a few faults of a hub with a whole household, and a control that has to be
 * found.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

t.setTimeout(290_000); // half a minute on a machine that does nothing else

t.test(
  "after a fault nothing acknowledged is lost, nothing is doubled, the owner gets in, and the hub tells the truth",
  async (t) => {
    const script = join(PROJECT_ROOT, "scripts/faults.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [script, "--quick", "--seed", "7", "--json"]).catch(
      (error: { stdout: string }) => error,
    );
    const result = JSON.parse(stdout);
    t.same(result.violations, []);
    t.ok(result.faults >= 2, `${result.faults} faults`);
    t.equal(result.controlFound, true, "a backup's file that is deleted while its row stays is found");
  },
);
