import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { commandLinePage } from "../../src/cli/document.ts";
import { PROJECT_ROOT } from "../support/database.ts";

t.test("docs/command-line.md matches the commands (else: node scripts/generate-docs.mjs)", async (t) => {
  t.equal(readFileSync(join(PROJECT_ROOT, "docs/command-line.md"), "utf8"), commandLinePage());
});
