import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

const MODULE = join(PROJECT_ROOT, "scripts/lib/module-map.mjs");

/** What an expression about the map's module gives. */
function asked(expression: string): unknown {
  const program = `import * as map from ${JSON.stringify(MODULE)}; process.stdout.write(JSON.stringify(${expression}))`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
}

t.test("the map in ARCHITECTURE.md is what the imports say (node scripts/generate-docs.mjs)", async (t) => {
  t.equal(
    asked(`map.pageWithMap(${JSON.stringify(PROJECT_ROOT)})`),
    readFileSync(join(PROJECT_ROOT, "ARCHITECTURE.md"), "utf8"),
  );
});

t.test("an arrow that others imply is left out, and no other", async (t) => {
  const graph = `new Map([["a", new Set(["b", "c", "d"])], ["b", new Set(["c"])], ["c", new Set(["d"])], ["d", new Set()]])`;
  t.equal(asked(`map.drawn(map.reduced(${graph}))`), "```mermaid\nflowchart TD\n  a --> b\n  b --> c\n  c --> d\n```");
});
