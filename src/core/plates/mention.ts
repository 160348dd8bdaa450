import { asPlateLetters } from "./alphabet.ts";
import { Countries } from "./countries.ts";
import { formOf } from "./forms.ts";

/** Shorter ones occur in too many other texts. */
const SHORTEST = 8;
/** The same for plates of other countries, whose layouts are known exactly. */
const SHORTEST_FOREIGN = 6;
/** A plate is written in at most this many groups: `MH 12 AB 1234`. */
const MOST_GROUPS = 4;
/** Longer than any text of the feed. */
const LONGEST_TEXT = 4_096;
/** The form of anything that may be a plate of any country. */
const ANY_PLATE = /^(?=.*\d)(?=.*[A-Z])[A-Z0-9]{4,12}$/;
const MOST_FOUND = 200;

/**
 * Whether a text that a person or a device wrote contains a number plate of a common layout, of India or of a country
 * that the hub knows, however it is grouped and in whatever letters that look like it.
 */
export function mentionsPlate(text: string): boolean {
  for (const joined of joinedGroups(text)) {
    const form = joined.length < SHORTEST ? null : formOf(joined);
    if (form !== null && form.kind !== "unknown") return true;
  }
  return mentionsForeign(text);
}

/**
 * Whether a text contains a plate of another country: one or two words in capitals, as such plates are written; their
 * layouts are so many that half of all texts would contain one otherwise.
 */
function mentionsForeign(text: string): boolean {
  const words = asPlateLetters(text.slice(0, LONGEST_TEXT)).split(/[^A-Za-z0-9]+/);
  return words.some((word, at) =>
    [word, `${word}${words[at + 1] ?? ""}`].some(
      (joined) => joined.length >= SHORTEST_FOREIGN && Countries.all.havePlatesLike(joined),
    ),
  );
}

/**
 * Everything in a text that may be a number plate, of whatever country and however it is grouped, in the form of reads;
 * the first 200.
 */
export function platesIn(text: string): string[] {
  const found = new Set<string>();
  for (const joined of joinedGroups(text)) {
    if (found.size === MOST_FOUND) break;
    if (ANY_PLATE.test(joined)) found.add(joined);
  }
  return [...found];
}

/** One to four consecutive words, joined. */
function* joinedGroups(text: string): Generator<string> {
  const words = asPlateLetters(text.slice(0, LONGEST_TEXT))
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== "");
  for (let from = 0; from < words.length; from++) {
    let joined = "";
    for (const word of words.slice(from, from + MOST_GROUPS)) {
      joined += word;
      yield joined;
    }
  }
}
