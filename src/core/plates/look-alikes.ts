import { ALPHABET } from "./alphabet.ts";

/**
 * The cost of taking one character for another: about −ln of how often the pair is confused, scaled so that the most
 * likely pair costs 0.6. A digit and a letter may replace each other wherever the position demands the other class.
 */
const ACROSS: readonly (readonly [string, number])[] = [
  ["0O", 0.6],
  ["1I", 0.6],
  ["2Z", 0.8],
  ["5S", 0.8],
  ["6G", 0.8],
  ["8B", 0.8],
  ["0D", 1.0],
  ["1L", 1.0],
  ["4A", 1.0],
  ["7T", 1.0],
  ["0Q", 1.2],
  ["1J", 1.2],
  ["7Z", 1.4],
  ["0C", 1.6],
  ["0U", 1.6],
  ["1T", 1.6],
  ["3B", 1.6],
  ["3E", 1.7],
  ["7Y", 1.7],
  ["0G", 1.8],
  ["4H", 1.8],
  ["6C", 1.8],
  ["8S", 1.8],
  ["9P", 1.9],
];

/**
 * Letters for letters: only where the position accepts fewer letters than the alphabet has (state codes, a series
 * without I and O).
 */
const AMONG_LETTERS: readonly (readonly [string, number])[] = [
  ["OD", 0.8],
  ["OQ", 1.0],
  ["IL", 1.0],
  ["KX", 1.0],
  ["CG", 1.1],
  ["HM", 1.2],
  ["MN", 1.2],
  ["EF", 1.2],
  ["PR", 1.2],
  ["UV", 1.2],
  ["VY", 1.2],
  ["DQ", 1.3],
  ["IJ", 1.3],
  ["IT", 1.3],
  ["HN", 1.4],
  ["CO", 1.4],
  ["GO", 1.4],
  ["FP", 1.4],
  ["UJ", 1.4],
  ["NW", 1.5],
  ["TY", 1.5],
  ["MW", 1.6],
  ["HK", 1.6],
  ["BR", 1.6],
  ["BD", 1.6],
  ["SB", 1.7],
  ["WV", 1.7],
];

const COSTS: ReadonlyMap<string, number> = new Map(
  [...ACROSS, ...AMONG_LETTERS].flatMap(([pair, cost]) => [[pair, cost] as const, [reversed(pair), cost] as const]),
);

/** Cost of reading `seen` where `meant` is: 0 when equal, infinite when nobody confuses them. */
export function lookAlikeCost(seen: string, meant: string): number {
  return seen === meant ? 0 : (COSTS.get(seen + meant) ?? Number.POSITIVE_INFINITY);
}

/** Pairs with their costs, for the check against measured confusions. */
export function lookAlikePairs(): readonly { readonly pair: string; readonly cost: number }[] {
  return [...ACROSS, ...AMONG_LETTERS].map(([pair, cost]) => ({ pair, cost }));
}

/** Whether every pair is made of plate characters; a typing error in the tables above would otherwise go unnoticed. */
export function lookAlikesAreSound(): boolean {
  return lookAlikePairs().every(
    ({ pair }) => pair.length === 2 && [...pair].every((character) => ALPHABET.includes(character)),
  );
}

function reversed(pair: string): string {
  return pair.slice(1) + pair.slice(0, 1);
}
