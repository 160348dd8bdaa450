/** How things are searched by their names: devices, rooms, scenes, rules, people, plates. */
import { plain } from "./plain.ts";

/** How well something fits what was typed; the least fits best. */
const RANKS = ["exact", "begins", "words", "part", "about"] as const;

/** A place among {@link RANKS}. */
export type Rank = (typeof RANKS)[number];

/** The place of the worst rank. */
export const ABOUT = RANKS.length - 1;

/** What something is found by. */
export interface Sought {
  /** All that it is called. */
  readonly names: readonly string[];
  /** What else is said of it: its room, its kind. */
  readonly about?: string;
}

/**
 * How something fits `wanted`: it is called so, its name begins so, its name has every word (whole or begun), or every
 * word in part; or only its name and what else is said of it have them together. Null: it lacks a word.
 */
export function rankOf(wanted: string, { names, about = "" }: Sought): Rank | null {
  const text = folded(wanted);
  const ranks = names.map((name) => RANKS.indexOf(rankOfName(text, folded(name)) ?? "about"));
  const best = RANKS[Math.min(RANKS.length - 1, ...ranks)];
  if (best !== "about") return best ?? null;
  return hasAll(text.split(" "), folded([...names, about].join(" "))) ? "about" : null;
}

function rankOfName(text: string, name: string): Rank | null {
  const together = name.replaceAll(" ", "");
  if (name === text || together === text) return "exact";
  if (name.startsWith(text) || together.startsWith(text)) return "begins";
  const words = text.split(" ");
  const has = name.split(" ");
  if (words.every((word) => has.some((one) => one.startsWith(word)))) return "words";
  return hasAll(words, name) ? "part" : null;
}

/** Whether a text has every word somewhere; plates are found with and without spaces. */
function hasAll(words: readonly string[], text: string): boolean {
  const together = text.replaceAll(" ", "");
  return words.every((word) => text.includes(word) || together.includes(word));
}

/** What fits `wanted`, the best first and otherwise in the order given; everything where nothing is typed. */
export function ranked<Item>(
  items: readonly Item[],
  wanted: string,
  soughtOf: (item: Item) => Sought,
): readonly Item[] {
  if (folded(wanted) === "") return items;
  return items
    .flatMap((item) => {
      const rank = rankOf(wanted, soughtOf(item));
      return rank === null ? [] : [{ item, rank: RANKS.indexOf(rank) }];
    })
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/** The place of the best of some things, to put kinds of things in order; behind all others where none fits. */
export function bestPlace(wanted: string, sought: readonly Sought[]): number {
  return Math.min(
    RANKS.length,
    ...sought.flatMap((one) => {
      const rank = rankOf(wanted, one);
      return rank === null ? [] : [RANKS.indexOf(rank)];
    }),
  );
}

/** Whether an item's words contain every word of `wanted`: for a list that has an order of its own. */
export function withWords<Item>(wanted: string, wordsOf: (item: Item) => string): (item: Item) => boolean {
  const words = folded(wanted).split(" ").filter(Boolean);
  return (item) => words.length === 0 || hasAll(words, folded(wordsOf(item)));
}

/** Letters as they are compared: full-width as half-width, small, without accents; punctuation parts words. */
function folded(text: string): string {
  return plain(text.normalize("NFKC"))
    .replaceAll(/[-_.·,\s]+/g, " ")
    .trim();
}
