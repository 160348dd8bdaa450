import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { commandLinePage } from "../../src/cli/document.js";
import { PROJECT_ROOT } from "../support/database.js";

t.test("docs/command-line.md is what the commands say (else: node scripts/generate-docs.mjs)", async (t) => {
  t.equal(readFileSync(join(PROJECT_ROOT, "docs/command-line.md"), "utf8"), commandLinePage());
});
