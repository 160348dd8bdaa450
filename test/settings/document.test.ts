import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { settingsPage } from "../../src/core/settings/document.ts";
import { PROJECT_ROOT } from "../support/database.ts";

t.test("docs/settings.md matches the schema (else: node scripts/generate-docs.mjs)", async (t) => {
  t.equal(readFileSync(join(PROJECT_ROOT, "docs/settings.md"), "utf8"), settingsPage());
});
