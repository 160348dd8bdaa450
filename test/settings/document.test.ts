import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { settingsPage } from "../../src/core/settings/document.ts";
import { PROJECT_ROOT } from "../support/database.ts";

t.test("the pages of settings match the schema (else: node scripts/generate-docs.mjs)", async (t) => {
  for (const [page, language] of [
    ["docs/settings.md", "en"],
    ["docs/settings.hi.md", "hi"],
  ] as const)
    t.equal(readFileSync(join(PROJECT_ROOT, page), "utf8"), settingsPage(language), page);
});
