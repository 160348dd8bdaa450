/** The short form of scripts/durability.mjs: a hub killed under load loses nothing it acknowledged. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

t.setTimeout(110_000);

t.test("killed under load, the hub has every acknowledged message once, and its webhooks get them all", async (t) => {
  const script = join(PROJECT_ROOT, "scripts/durability.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--runs", "3", "--json"]).catch(
    (error: { stdout: string }) => error,
  );
  const result = JSON.parse(stdout);
  t.same(result.failures, []);
  t.equal(result.runs, 3);
  t.ok(result.sent > 500, `${result.sent} messages were sent`);
});
