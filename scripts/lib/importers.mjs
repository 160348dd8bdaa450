// @ts-check
/**
 * Which files import which, read from their import specifiers: a test depends on what it imports, directly or
 * indirectly. Files that a test reads or starts in another way (a photograph, a page, the bundle) are not covered.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "./prepare.mjs";

const FOLDERS = ["src", "firmware-bridge", "test", "scripts"];
const SOURCE = /\.(?:tsx?|mjs|cjs|json)$/;
/** Matches imports of every kind, and the programs of threads (`new URL(…, import.meta.url)`). */
const SPECIFIER = /(?:\bfrom |\bimport |\bimport\(|new URL\()"(\.[^"]+)"/g;
/** Named from the project's folder, as in `join(PROJECT_ROOT, …)`. */
const FROM_ROOT = /"((?:src|firmware-bridge|test|scripts)\/[^"]+\.(?:tsx?|mjs|cjs|json))"/g;

/** What differs from the last commit, and what git does not know yet; relative to the project. @returns {string[]} */
export function changedFiles() {
  const git = (/** @type {string[]} */ ...words) =>
    execFileSync("git", words, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  return [
    ...git("diff", "--name-only", "-z", "--relative", "HEAD"),
    ...git("ls-files", "--others", "--exclude-standard", "-z"),
  ];
}

/**
 * These files and all that import them, directly or indirectly.
 * @param {readonly string[]} files relative to the project
 * @returns {ReadonlySet<string>}
 */
export function importersOf(files) {
  const importers = importersByFile();
  const found = new Set(files);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return found;
}

function importersByFile() {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  for (const file of FOLDERS.flatMap(sourcesIn)) {
    const text = readFileSync(join(root, file), "utf8");
    const imported = [
      ...[...text.matchAll(SPECIFIER)].map(([, to = ""]) => normalize(join(dirname(file), to))),
      ...[...text.matchAll(FROM_ROOT)].map(([, to = ""]) => to),
    ];
    for (const to of imported) importers.set(to, (importers.get(to) ?? new Set()).add(file));
  }
  return importers;
}

/** @param {string} folder */
function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => SOURCE.test(file) && !/(?:^|\/)(?:node_modules|fixtures|generated)\//.test(file))
    .map((file) => join(folder, file));
}
