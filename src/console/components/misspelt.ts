/** Which known words somebody meant who typed one letter of them wrong, twice, not at all, or in the wrong place. */
import { plain } from "./plain.ts";

/** Shorter words are a letter away from too many others. */
const LEAST = 5;
/** Words that one may have been. */
const MOST = 2;

/** The words of a text, as {@link meantBy} compares them. */
export function spokenWords(text: string): readonly string[] {
  return plain(text.normalize("NFKC"))
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Whether two words differ by one letter: a wrong, missing or added one, or two that changed places. */
export function isOneOff(typed: string, known: string): boolean {
  const [one, other] = [[...typed], [...known]];
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const isSameFrom = (inShort: number, inLong: number): boolean =>
    short.slice(inShort).join("") === long.slice(inLong).join("");
  if (short.length < long.length) return isSameFrom(at, at + 1);
  if (at === short.length) return false;
  const areSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return isSameFrom(at + 1, at + 1) || (areSwapped && isSameFrom(at + 2, at + 2));
}

/**
 * What was meant by `wanted`: the same words with those that are not known put right, the likeliest first; none where
 * every word is known or nothing is like it. A word that is only begun counts as unknown once no other begins so.
 */
export function meantBy(wanted: string, known: ReadonlySet<string>): readonly string[] {
  const words = spokenWords(wanted);
  const likes = words.map((word) => likeWords(word, known));
  if (likes.every((like) => like.length === 0)) return [];
  return Array.from({ length: Math.max(...likes.map(({ length }) => length)) }, (_, place) =>
    words.map((word, index) => likes[index]?.[place] ?? likes[index]?.[0] ?? word).join(" "),
  );
}

function likeWords(word: string, known: ReadonlySet<string>): readonly string[] {
  const { length } = [...word];
  if (length < LEAST || known.has(word)) return [];
  const all = [...known];
  const isBegun = all.some((one) => one.startsWith(word));
  const whole = all.filter((one) => isOneOff(word, one) && !one.startsWith(word));
  if (whole.length > 0 || isBegun) return whole.slice(0, MOST);
  const begun = all.filter((one) => {
    const letters = [...one];
    return [length - 1, length, length + 1].some(
      (end) => end < letters.length && isOneOff(word, letters.slice(0, end).join("")),
    );
  });
  return begun.filter((one) => !begun.some((other) => other !== one && one.startsWith(other))).slice(0, MOST);
}
