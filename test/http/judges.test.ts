/**
 * Independent judges of the description (scripts/judges.mjs): linters find nothing, and clients generated from it
 * compile strictly and drive the hub.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const long = process.env.GATEHOUSE_TEST_LONG === undefined ? "installs 190 MB: npm run test:long" : false;
t.setTimeout(600_000);

t.test("two linters and three generated clients find nothing", { skip: long }, (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/judges.mjs"], {
    cwd: PROJECT_ROOT,
    encoding: "utf8",
  });
  t.equal(status, 0, stdout + stderr);
  t.match(
    stdout,
    /Redocly.*: nothing found\nSpectral.*: nothing found\ncompiled.*: nothing found\nopenapi-fetch, 37 calls: nothing found\n/,
  );
  t.match(stdout, /hey-api, 7 calls: nothing found\norval, 7 calls: nothing found\n/);
  t.end();
});

t.test("the typed client of all operations calls every operation of the description", async (t) => {
  const driven = readFileSync(join(PROJECT_ROOT, "scripts/judges/drive/openapi-fetch.ts"), "utf8");
  const { ApiHub } = await import("../support/api-hub.ts");
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  // its contract
  const { paths } = (await hub.api.get("/v1/openapi.json")).body as { paths: Record<string, Record<string, object>> };
  for (const [path, place] of Object.entries(paths))
    for (const method of Object.keys(place))
      t.ok(driven.includes(`hub.${method.toUpperCase()}("${path}"`), `${method.toUpperCase()} ${path}`);
});
