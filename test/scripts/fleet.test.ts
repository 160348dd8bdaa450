/** scripts/fleet.mjs with few hubs; with forty it is run by hand. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

t.test("three hubs from one template, one of them off, are reported correctly", async (t) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(PROJECT_ROOT, "scripts/fleet.mjs"), "--hubs", "3", "--off", "1", "--within", "60000"],
    {
      encoding: "utf8",
    },
  );
  t.equal(status, 0, stdout + stderr);
  t.match(stdout, /^3 hubs: .*1 unreachable.*took \d+ ms/);
});
