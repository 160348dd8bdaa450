// @ts-check
// node scripts/generate-docs.mjs
// Writes the generated pages of docs/ and the client's types. A test fails for each page that is out of date.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientTypes } from "./lib/client-types.mjs";
import { prepare } from "./lib/prepare.mjs";

const root = join(import.meta.dirname, "..");
await prepare({ tests: true });

/** Page, module that makes it, function in it, language where there are several. */
const PAGES = [
  { page: "docs/settings.md", module: "src/core/settings/document.ts", make: "settingsPage", language: "en" },
  { page: "docs/settings.hi.md", module: "src/core/settings/document.ts", make: "settingsPage", language: "hi" },
  { page: "docs/command-line.md", module: "src/cli/document.ts", make: "commandLinePage" },
  { page: "docs/what-is-kept.md", module: "src/core/storage/table-bounds.ts", make: "boundsPage" },
];

for (const { page, module, make, language } of PAGES) {
  const { [make]: text } = await import(join(root, module));
  writeFileSync(join(root, page), text(language));
  console.log(page);
}

const guide = join(root, "docs/client-guide.md");
const { pageWithSchedule } = await import("../src/features/webhooks/document.ts");
writeFileSync(guide, pageWithSchedule(readFileSync(guide, "utf8")));
console.log("docs/client-guide.md (the schedule of webhooks)");

const cli = join(root, "scripts/gatehouse.mjs");
const description = execFileSync(process.execPath, [cli, "openapi"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
const types = join(root, "src/client/types.d.ts");
writeFileSync(types, clientTypes(JSON.parse(description)));
execFileSync(join(root, "node_modules/.bin/biome"), ["format", "--write", types], { stdio: "ignore" });
console.log("src/client/types.d.ts");
