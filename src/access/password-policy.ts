import { Problem } from "../kernel/problem.js";
import { COMMON_WORDS } from "./common-words.js";

/** Least characters of a password that stands alone, and of one beside a second factor (NIST SP 800-63B-4 §3.1.1.2). */
const MIN_LENGTH = 15;
/** See {@link MIN_LENGTH}. */
const MIN_LENGTH_WITH_TOTP = 8;
/** Longer texts are refused: a hash input of megabytes is an attack, not a password. */
const MAX_LENGTH = 256;
/** A password made of at most this many guessable pieces is refused. */
const GUESSABLE_PIECES = 2;

/** What the policy looks at. */
export interface PasswordContext {
  readonly hasTotp: boolean;
  /** Words an attacker knows: name, e-mail address, name of the home. */
  readonly known: readonly string[];
}

/**
 * Holds a new password to the policy: long enough, and not put together from a few things that everybody tries.
 * No rules about kinds of characters: they make passwords worse.
 * @throws Problem `weak_password`
 */
export function checkPassword(password: string, { hasTotp, known }: PasswordContext): void {
  checkPasswordLength(password, hasTotp);
  if (isGuessable(password, known)) throw weak("is made of words and rows that are tried first; take something longer or less usual");
}

/** The part of the policy that is about length alone: for passwords that an installer hands over. @throws Problem `weak_password` */
export function checkPasswordLength(password: string, hasTotp: boolean): void {
  const length = [...password.normalize("NFKC")].length;
  const least = hasTotp ? MIN_LENGTH_WITH_TOTP : MIN_LENGTH;
  if (length < least)
    throw weak(
      hasTotp ? `must have at least ${least} characters` : `must have at least ${least} characters (${MIN_LENGTH_WITH_TOTP} once a second factor is set up)`,
    );
  if (length > MAX_LENGTH) throw weak(`must have at most ${MAX_LENGTH} characters`);
}

/** Punctuation and blanks between words: they make nothing harder to guess. Letters of other scripts are no separators. */
const SEPARATOR = /[\s!-/:-@[-`{-~]/;
const SEPARATORS = new RegExp(SEPARATOR, "g");

/** Whether a password is at most two guessable pieces in a row: common words, repeats, rows of keys, years. The owner's own words and a few digits count for nothing. */
export function isGuessable(password: string, known: readonly string[] = []): boolean {
  const words = new Map(COMMON_WORDS.map((word) => [word, 1]));
  for (const word of known.flatMap((text) => plain(text).split(SEPARATOR))) if (word.length >= 3) words.set(word, 0);
  const forms = [plain(password), plain(password).replace(SEPARATORS, "")];
  return forms.some((text) => fewestPieces(text, words) <= GUESSABLE_PIECES);
}

/** Fewest guessable pieces that cover the whole text; infinity when something unguessable is in it. */
function fewestPieces(text: string, words: ReadonlyMap<string, number>): number {
  const best = [0];
  for (let end = 1; end <= text.length; end++) {
    let pieces = SEPARATOR.test(text[end - 1] ?? "") ? (best[end - 1] ?? 0) : Number.POSITIVE_INFINITY;
    for (let start = Math.max(0, end - 40); start < end; start++) {
      const before = best[start] ?? Number.POSITIVE_INFINITY;
      if (before < pieces) pieces = Math.min(pieces, before + costOf(text.slice(start, end), words));
    }
    best.push(pieces);
  }
  const unit = smallestPeriod(text); // a unit said again and again is no harder to guess than the unit
  const whole = best[text.length] ?? 0;
  return unit < text.length ? Math.min(whole, fewestPieces(text.slice(0, unit), words)) : whole;
}

const ROWS = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "azertyuiop",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "1q2w3e4r5t6y7u8i9o0p",
];

/** What a piece adds: nothing, one, or infinity when it is not guessable. */
function costOf(piece: string, words: ReadonlyMap<string, number>): number {
  const known = words.get(piece) ?? words.get(unleet(piece));
  if (known !== undefined) return known;
  if (/^\d{1,3}$/.test(piece)) return 0;
  if (/^(.)\1*$/.test(piece) || /^(19|20)\d\d$/.test(piece)) return 1;
  const isRow = piece.length >= 3 && ROWS.some((row) => row.includes(piece) || [...row].reverse().join("").includes(piece));
  return isRow ? 1 : Number.POSITIVE_INFINITY;
}

/** Length of the shortest unit that, repeated, makes up the text; the text's length when there is none. */
function smallestPeriod(text: string): number {
  for (let size = 1; size <= text.length / 2; size++) if (text.length % size === 0 && text.slice(0, size).repeat(text.length / size) === text) return size;
  return text.length;
}

function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function unleet(text: string): string {
  const letters: Readonly<Record<string, string>> = { "@": "a", "4": "a", "3": "e", "1": "i", "!": "i", "0": "o", $: "s", "5": "s", "7": "t" };
  return [...text].map((character) => letters[character] ?? character).join("");
}

function weak(message: string): Problem {
  return new Problem("weak_password", `The password ${message}.`, { details: [{ field: "/password", code: "weak", message }] });
}
