/**
 * The rules of number plates: what a plate is, how a misread one is corrected, how frames vote, what a list decides,
 * which direction a car took, which reads are one pass, and how passes pair into visits. Values in, values out: no
 * input or output, no clock, no storage, and nothing about how pictures are made or read.
 */

export const DIGITS = "0123456789";
export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Letters and digits in the order of the reader's classes 1–36; class 0 is the blank. */
export const ALPHABET = DIGITS + LETTERS;

/** Classes of one reader slot: blank and 36 characters. */
export const CLASS_COUNT = ALPHABET.length + 1;

/** O and 0, I and 1 are drawn alike on many plates. */
export const TWINS: Readonly<Record<string, string>> = { O: "0", "0": "O", I: "1", "1": "I" };

/** The reader's class of a character; 0 (blank) for anything that is not a plate character. */
export function classOf(character: string): number {
  return character.length === 1 ? ALPHABET.indexOf(character) + 1 : 0;
}

/** The character of a reader class; empty for the blank. */
export function characterOf(classIndex: number): string {
  return classIndex === 0 ? "" : (ALPHABET[classIndex - 1] ?? "");
}

/**
 * In the letters of plates, then everything but A–Z and 0–9 is removed, upper-cased: spacing, dashes and case never
 * matter, nor in which script a letter was typed that looks the same.
 */
export function cleanPlateText(text: string): string {
  return asPlateLetters(text)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "");
}

/**
 * Whether a text has letters or digits that no plate of the reader's has and that look like none: without them it would be
 * another plate.
 */
export function hasOtherLetters(text: string): boolean {
  return /[^A-Z0-9\P{L}]|[^A-Z0-9\P{N}]/u.test(asPlateLetters(text).toUpperCase());
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
export function asPlateLetters(text: string): string {
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
