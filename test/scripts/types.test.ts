/** The scripts are checked by the compiler too (scripts/tsconfig.json): those that root, a release or a start runs, and more with time. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.js";

/** Benches, trials and checks without types yet. A name goes when its file gets them; none is added. */
const WITHOUT_TYPES = `
  appliance-test
  image-container
  image-test
  image/batch
  image/container
  image/emulator
  image/labels
  image/pictures
  image/sbom
  image/trial/box
  image/trial/first
  image/trial/kills
  image/trial/report
  image/trial/reset
  image/trial/share
  image/trial/stick
  image/trial/updates
`;

const scripts = readdirSync(join(PROJECT_ROOT, "scripts"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".mjs") && !file.includes("node_modules"))
  .map((file) => ({ name: file.slice(0, -".mjs".length), text: readFileSync(join(PROJECT_ROOT, "scripts", file), "utf8") }));

t.test("every script is checked, but for those in the list", async (t) => {
  const unchecked = scripts.filter(({ text }) => !/^(#!.*\n)?\/\/ @ts-check$/m.test(text.slice(0, 200))).map(({ name }) => name);
  t.same(unchecked.sort(), WITHOUT_TYPES.trim().split(/\s+/).sort());
});

t.test("what root runs on a box has types without any", async (t) => {
  const root = scripts.filter(({ name }) => name.startsWith("image/box/"));
  t.ok(root.length >= 5);
  for (const { name, text } of root) {
    t.match(text, /^\/\/ @ts-check$/m, name);
    t.notMatch(text, /[{<,|(]\s*any\b|@ts-ignore|@ts-nocheck/, name);
  }
});

t.test("the compiler finds nothing in them", async (t) => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(PROJECT_ROOT, "node_modules/typescript/bin/tsc"), "-p", join(PROJECT_ROOT, "scripts"), "--noEmit"],
    {
      encoding: "utf8",
    },
  );
  t.equal(status, 0, stdout);
});
