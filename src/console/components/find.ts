/** How what can be set is found: by any of its words, in whichever language, and by their beginnings. */

/** Words that say nothing about what is looked for. */
const EMPTY: ReadonlySet<string> = new Set(
  "a an are at be by can do does for from get how i in is it keep kept long many me my of on or our set setting settings the to what when where which who why with का की के को से में पर है हैं क्या कैसे कितना कितने कब कहाँ और या मेरा मेरी सेटिंग".split(
    " ",
  ),
);
/** From this length on a word of the text may be the beginning of the one that was typed: "photos" finds "photo". */
const STEM = 4;

/** Endings that a plural adds, in either direction: "photos" and "photo" are the same word. */
const PLURAL = /^(?:s|es)$/;

/**
 * The candidates with the most of the words of `wanted`, those first whose name has them; none if no word fits. `named`:
 * what a candidate is called, with other words for it. `about`: what else is written about it. A word that something has
 * whole, or as its beginning, is not looked for by its own beginning: "password" does not mean "pass". `isWhole`: only
 * those that have every word.
 */
export function findBest<Candidate>(
  candidates: readonly Candidate[],
  wanted: string,
  textOf: (candidate: Candidate) => { readonly named: string; readonly about: string },
  isWhole = false,
): readonly Candidate[] {
  const typed = wordsOf(wanted);
  const meant = typed.filter((word) => !EMPTY.has(word));
  const asked = meant.length === 0 ? typed : meant;
  const texts = candidates.map((candidate) => {
    const { named, about } = textOf(candidate);
    return { candidate, names: wordsOf(named), rest: wordsOf(about) };
  });
  const known = new Set(texts.flatMap(({ names, rest }) => [...names, ...rest]));
  const isKnown = new Set(asked.filter((word) => [...known].some((one) => begins(one, word))));
  const fits = (one: string, word: string): boolean => (isKnown.has(word) ? begins(one, word) : isStem(one, word));
  const marked = texts
    .map(({ candidate, names, rest }) => {
      const inName = asked.filter((word) => names.some((one) => fits(one, word))).length;
      const found = asked.filter((word) => [...names, ...rest].some((one) => fits(one, word))).length;
      const whole = asked.filter((word) => names.includes(word)).length;
      return { candidate, found, inName, whole };
    })
    .filter(({ found }) => found > 0);
  const most = Math.max(0, ...marked.map(({ found }) => found));
  if (isWhole && most < asked.length) return [];
  const best = marked.filter(({ found }) => found === most);
  // what is called so, before what only mentions it; whole words before beginnings
  return best
    .sort((one, other) => other.inName - one.inName || other.whole - one.whole)
    .map(({ candidate }) => candidate);
}

/** Whether a word of a text begins with the typed one, or is its singular. */
function begins(known: string, typed: string): boolean {
  return (
    known.startsWith(typed) || (known.length > 1 && typed.startsWith(known) && PLURAL.test(typed.slice(known.length)))
  );
}

function isStem(known: string, typed: string): boolean {
  return known.length >= STEM && typed.startsWith(known);
}

function wordsOf(text: string): string[] {
  return text
    .normalize("NFC")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
}
