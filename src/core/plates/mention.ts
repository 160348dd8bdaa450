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

/** Capital letters of other scripts that look like the Latin ones of plates, and those beside them. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["АВСЕНІЈКМОРЅТУХԚԜҮԌ", "ABCEHIJKMOPSTYXQWYG"],
    ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"],
  ].flatMap(([from = "", to = ""]) => [...from].map((letter, at) => [letter, to[at] ?? letter] as const)),
);

/**
 * A text in Latin letters and European digits, as plates are written: full-width and other forms of characters,
 * letters that only look Latin, digits of other scripts, and without marks and characters that nobody sees.
 */
function asPlateLetters(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{Mn}\p{Cf}]/gu, "")
    .replace(/\p{Nd}/gu, (digit) => digitOf(digit))
    .replace(/[\u0370-\u052f]/g, (letter) => lookAlike(letter));
}

function lookAlike(letter: string): string {
  const capital = letter.toUpperCase();
  const latin = LOOK_ALIKES[capital] ?? capital;
  return letter === capital ? latin : latin.toLowerCase();
}

/** Decimal digits stand in tens, each beginning with its zero. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 0x80) return digit;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
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
