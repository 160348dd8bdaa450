// @ts-check
/** The map of the house in ARCHITECTURE.md: which folder of `src/` imports which, drawn from the imports themselves. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Where the map stands in ARCHITECTURE.md. */
const BEGIN = "<!-- Drawn from the imports by scripts/generate-docs.mjs; do not edit. -->";
const END = "<!-- End of the map. -->";

/** @typedef {Map<string, Set<string>>} Graph  folder → the folders that it imports */

/**
 * Reads the imports of the sources.
 * @param {string} root the project's folder
 * @returns {Graph}
 */
export function readGraph(root) {
  /** @type {Graph} */
  const graph = new Map();
  for (const base of ["src", "firmware-bridge"]) {
    for (const entry of readdirSync(join(root, base), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1);
      if (!entry.isFile() || !/\.tsx?$/.test(path) || path.includes("/fixtures/")) continue;
      const from = folderOf(path);
      const targets = graph.get(from) ?? new Set();
      graph.set(from, targets);
      for (const [, target] of readFileSync(join(root, path), "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)) {
        const to = folderOf(normalize(join(dirname(path), target ?? "")));
        if (to !== from) targets.add(to);
      }
    }
  }
  return graph;
}

/** @param {string} path from the project's folder */
function folderOf(path) {
  const [base = "", folder = ""] = path.split("/");
  if (base !== "src") return base;
  return folder.includes(".") ? "main" : folder;
}

/**
 * The same graph without the arrows that other arrows imply.
 * @param {Graph} graph without cycles
 * @returns {Graph}
 */
export function reduced(graph) {
  /** @type {Map<string, Set<string>>} */
  const known = new Map();
  /** @param {string} folder @returns {Set<string>} everything below it */
  const below = (folder) => {
    const found = known.get(folder) ?? new Set();
    if (known.has(folder)) return found;
    known.set(folder, found);
    for (const target of graph.get(folder) ?? []) for (const name of [target, ...below(target)]) found.add(name);
    return found;
  };
  return new Map(
    [...graph].map(([folder, targets]) => [
      folder,
      new Set(
        [...targets].filter((target) => ![...targets].some((other) => other !== target && below(other).has(target))),
      ),
    ]),
  );
}

/**
 * The graph as a Mermaid flowchart, the same text for the same graph.
 * @param {Graph} graph
 */
export function drawn(graph) {
  const lines = [...graph]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([from, targets]) => [...targets].sort().map((to) => `  ${from} --> ${to}`));
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
}

/**
 * ARCHITECTURE.md with the map as the sources are now.
 * @param {string} root
 * @throws Error when the page has no place for it
 */
export function pageWithMap(root) {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("ARCHITECTURE.md has no place for the map.");
  return `${page.slice(0, begin + BEGIN.length)}\n${drawn(reduced(readGraph(root)))}\n${page.slice(end)}`;
}
