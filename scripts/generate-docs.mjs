// Writes the pages of docs/ that are made from the sources. Usage: node scripts/generate-docs.mjs [BUILD-FOLDER]
// Needs a build (npm run build). A test of each page fails when it was forgotten.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pageWithMap } from "./lib/module-map.mjs";

const root = join(import.meta.dirname, "..");
const build = resolve(root, process.argv[2] ?? "build");

/** Page, module that makes it, function in it. */
const PAGES = [
  ["docs/settings.md", "src/settings/document.js", "settingsPage"],
  ["docs/command-line.md", "src/cli/document.js", "commandLinePage"],
];

for (const [page, module, make] of PAGES) {
  const { [make]: text } = await import(join(build, module));
  writeFileSync(join(root, page), text());
  console.log(page);
}

writeFileSync(join(root, "ARCHITECTURE.md"), pageWithMap(root));
console.log("ARCHITECTURE.md (the map)");
