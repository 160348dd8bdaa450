/**
 * The scripts are type-checked too (scripts/tsconfig.json), every one of them: root runs some, a release and a start
 * others.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

const scripts = readdirSync(join(PROJECT_ROOT, "scripts"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".mjs") && !file.includes("node_modules"))
  .map((file) => ({
    name: file.slice(0, -".mjs".length),
    text: readFileSync(join(PROJECT_ROOT, "scripts", file), "utf8"),
  }));

t.test("every script has types, and none of them is any", async (t) => {
  t.ok(scripts.length >= 100);
  for (const { name, text } of scripts) {
    t.match(text.slice(0, 200), /^(#!.*\n)?\/\/ @ts-check$/m, name);
    t.notMatch(text, /^\s*\/\/ @ts-(ignore|nocheck)/m, name);
  }
  const loose = scripts.filter(({ text }) => /[{<,|(]\s*any\b/.test(text)).map(({ name }) => name);
  t.same(loose, []);
});

t.test("every executable script switches to a Node.js that the hub runs on", async (t) => {
  const called = scripts.filter(({ name }) => !name.includes("/"));
  t.ok(called.length >= 30);
  t.same(
    called
      .filter(({ text }) => !/await .*\b(prepare|prepareModules|prepareTools|ensureRuntime)\(/.test(text))
      .map(({ name }) => name),
    [],
  );
});

t.test("the compiler finds nothing in them", async (t) => {
  const compiler = join(PROJECT_ROOT, "node_modules/typescript/bin/tsc");
  // One checker: several at once each compute the same types, for twice the processor time.
  const words = [compiler, "-p", join(PROJECT_ROOT, "scripts"), "--checkers", "1"];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  t.equal(status, 0, stdout);
});
