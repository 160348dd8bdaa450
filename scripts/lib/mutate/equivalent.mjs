// @ts-check
/**
 * Changes that no test could notice, with the reason: they are not tried. Each is named by its file, the line of code
 * and the change, so that it is found again when lines move; one that is not found exactly once is an error.
 */
import { described } from "./mutants.mjs";

/** @typedef {import("./mutants.mjs").Mutant} Mutant */

/** @type {readonly { file: string, code: string, change: string, why: string }[]} */
const EQUIVALENT = [];

/** All changes but these. @param {Mutant[]} all @throws Error where one of the list is not there any more */
export function withoutEquivalents(all) {
  /** @type {Set<Mutant>} */
  const left = new Set();
  for (const entry of EQUIVALENT) {
    const found = all.filter((mutant) => isIt(mutant, entry));
    if (found.length !== 1)
      throw new Error(
        `scripts/lib/mutate/equivalent.mjs: ${found.length} changes are "${entry.code}", ${entry.change}`,
      );
    for (const mutant of found) left.add(mutant);
  }
  return all.filter((mutant) => !left.has(mutant));
}

/** @param {Mutant} mutant @param {(typeof EQUIVALENT)[number]} entry */
function isIt(mutant, { file, code, change }) {
  if (mutant.file !== file || mutant.source.split("\n")[mutant.line - 1]?.trim() !== code) return false;
  return described(mutant).endsWith(`  ${change}`);
}
