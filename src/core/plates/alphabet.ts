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
 * Full-width forms are folded, then everything but A–Z and 0–9 is removed, upper-cased: spacing, dashes and case never
 * matter.
 */
export function cleanPlateText(text: string): string {
  return text
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "");
}
