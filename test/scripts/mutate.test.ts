import { execFileSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

const FOLDER = join(PROJECT_ROOT, "scripts/lib/mutate");

/** The result of an expression about the modules behind scripts/mutate.mjs. */
function asked(expression: string): unknown {
  const program = `import * as mutants from ${JSON.stringify(join(FOLDER, "mutants.mjs"))};
    import { withoutEquivalents } from ${JSON.stringify(join(FOLDER, "equivalent.mjs"))};
    process.stdout.write(JSON.stringify(${expression}))`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
}

t.test("every listed equivalent mutation still occurs, and once", async (t) => {
  const all = "mutants.FOLDERS.flatMap(mutants.sourcesOf).flatMap(mutants.mutantsOf)";
  const [count, tried] = asked(`[${all}.length, withoutEquivalents(${all}).length]`) as number[]; // as asked
  t.ok((count ?? 0) > 10_000);
  t.ok((tried ?? 0) < (count ?? 0));
});
