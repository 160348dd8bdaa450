import { fieldRefused, Problem } from "../../core/kernel/problem.ts";
import { detailEnglish } from "../../core/text/english.ts";
import type { Detail } from "../../core/text/keys.ts";
import { COMMON_WORDS } from "./common-words.ts";

/** Minimum length of a password on its own, and of one with a second factor (NIST SP 800-63B-4 §3.1.1.2). */
const MIN_LENGTH = 15;
/** See {@link MIN_LENGTH}. */
const MIN_LENGTH_WITH_TOTP = 8;
/** Longer texts are refused: a hash input of megabytes is an attack, not a password. */
const MAX_LENGTH = 256;
/**
 * Longest text accepted for checking as a password, UTF-16 units: some keyboards send one letter as several characters,
 * which are composed first.
 */
const LONGEST_TYPED = 1_024;
/** The part of a password that decides whether it is guessable, bytes. */
const JUDGED_BYTES = 256;
const COMMON: ReadonlySet<string> = new Set(COMMON_WORDS);
/** A password made of at most this many guessable pieces is refused. */
const GUESSABLE_PIECES = 2;

/** Context for judging a password. */
export interface PasswordContext {
  readonly hasTotp: boolean;
  /** Words an attacker knows: name, e-mail address, name of the home. */
  readonly known: readonly string[];
}

/**
 * Checks a new password against the policy: long enough, and not composed of a few things that everybody tries. No
 * rules about kinds of characters: they make passwords worse.
 * @throws Problem `weak_password`
 */
export function checkPassword(password: string, { hasTotp, known }: PasswordContext): void {
  checkPasswordLength(password, hasTotp);
  if (isGuessable(password, known)) throw weak({ code: "refusal.password.guessable" });
}

/**
 * The policy's rule about length alone: for passwords set by an installer.
 * @throws Problem `weak_password`
 */
export function checkPasswordLength(password: string, hasTotp: boolean): void {
  if (password.length > LONGEST_TYPED) throw weak({ code: "refusal.password.longest", limit: MAX_LENGTH });
  const length = [...password.normalize("NFKC")].length;
  const least = hasTotp ? MIN_LENGTH_WITH_TOTP : MIN_LENGTH;
  if (length < least)
    throw weak(
      hasTotp
        ? { code: "refusal.password.shortest", limit: least }
        : { code: "refusal.password.shortestAlone", limit: least, less: MIN_LENGTH_WITH_TOTP },
    );
  if (length > MAX_LENGTH) throw weak({ code: "refusal.password.longest", limit: MAX_LENGTH });
}

/**
 * Punctuation and blanks between words: they make nothing harder to guess. Letters of other scripts are not separators.
 */
const SEPARATOR = /[\s!-/:-@[-`{-~]/;
const SEPARATORS = new RegExp(SEPARATOR, "g");

/**
 * Whether a password is at most two guessable pieces in a row: common words, repeats, rows of keys, years. The owner's
 * own words and a few digits count for nothing. Examines the first 256 bytes: a prefix that is hard to guess stays so.
 * The work is linear in the length.
 */
export function isGuessable(password: string, known: readonly string[] = []): boolean {
  const own = new Set(
    known.flatMap((text) => plain(text.slice(0, MAX_LENGTH)).split(SEPARATOR)).filter((word) => word.length >= 3),
  );
  const judged = firstBytes(plain(password.slice(0, LONGEST_TYPED)), JUDGED_BYTES);
  return [judged, judged.replace(SEPARATORS, "")].some((text) => fewestPieces(text, own) <= GUESSABLE_PIECES);
}

/** Longest piece that is looked up. */
const LONGEST_PIECE = 40;

/** Fewest guessable pieces that cover the whole text; infinity when something unguessable is in it. */
function fewestPieces(text: string, own: ReadonlySet<string>): number {
  const size = smallestPeriod(text); // a unit repeated many times is no harder to guess than the unit
  const whole = piecesOf(text, own);
  return size < text.length ? Math.min(whole, piecesOf(text.slice(0, size), own)) : whole;
}

function piecesOf(text: string, own: ReadonlySet<string>): number {
  const letters = unleet(text);
  const best = [0];
  let repeated = 0;
  for (let end = 1; end <= text.length; end++) {
    repeated = text[end - 1] === text[end - 2] ? repeated + 1 : 1;
    let pieces = SEPARATOR.test(text[end - 1] ?? "") ? (best[end - 1] ?? 0) : Number.POSITIVE_INFINITY;
    for (let start = Math.max(0, end - LONGEST_PIECE); start < end; start++) {
      const before = best[start] ?? Number.POSITIVE_INFINITY;
      if (before >= pieces) continue;
      const cost = end - start <= repeated ? 1 : Number.POSITIVE_INFINITY;
      pieces = Math.min(
        pieces,
        before + Math.min(cost, costOf(text.slice(start, end), letters.slice(start, end), own)),
      );
    }
    best.push(pieces);
  }
  return best[text.length] ?? 0;
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
/** Every part of a row of keys, in both directions, and every common word: each counts as one piece. */
const PIECES: ReadonlySet<string> = new Set([
  ...COMMON_WORDS,
  ...ROWS.flatMap((row) => [...partsOf(row), ...partsOf([...row].reverse().join(""))]),
]);

function partsOf(row: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < row.length; start++)
    for (let end = start + 3; end <= row.length; end++) parts.push(row.slice(start, end));
  return parts;
}

/**
 * A piece's cost: zero, one, or infinity when it is not guessable. `letters` is the piece with its look-alikes undone.
 */
function costOf(piece: string, letters: string, own: ReadonlySet<string>): number {
  if (own.has(piece) || own.has(letters)) return 0;
  if (piece.length <= 3 && /^\d+$/.test(piece)) return 0;
  if (PIECES.has(piece) || COMMON.has(letters)) return 1;
  return piece.length === 4 && /^(19|20)\d\d$/.test(piece) ? 1 : Number.POSITIVE_INFINITY;
}

/**
 * Length of the shortest unit that, repeated, makes up the text; the text's length when there is none (Knuth, Morris,
 * Pratt).
 */
function smallestPeriod(text: string): number {
  const border = [0];
  for (let at = 1; at < text.length; at++) {
    let length = border[at - 1] ?? 0;
    while (length > 0 && text[at] !== text[length]) length = border[length - 1] ?? 0;
    border.push(text[at] === text[length] ? length + 1 : 0);
  }
  const size = text.length - (border[text.length - 1] ?? 0);
  return size > 0 && text.length % size === 0 ? size : text.length;
}

/** The longest start of a text that has at most `most` bytes in UTF-8; no character is cut in two. */
function firstBytes(text: string, most: number): string {
  const room = Buffer.alloc(most);
  return room.toString("utf8", 0, room.write(text));
}

function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

function unleet(text: string): string {
  return text.replace(/[@431!0$57]/g, (character) => LOOK_ALIKES[character] ?? character);
}

function weak(words: Detail): Problem {
  return new Problem("weak_password", `The password ${detailEnglish(words)}.`, {
    details: [fieldRefused("/password", "weak", words)],
  });
}
