/** Names that are too long for any place: without their ends nobody could tell several of them apart. */

/** Letters that the narrowest place has room for in a few lines. */
const ROOM = 44;
/** Letters of the end that are kept. */
const TAIL = 18;

/** Letters as they are read: in Hindi a vowel sign belongs to the one before. */
export const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A name as it is, or without its middle where it has more than `most` letters: cut between words, where there are any. */
export function shortName(name: string, most = ROOM): string {
  if (name.length <= most) return name;
  const all = [...letters.segment(name)].map(({ segment }) => segment);
  if (all.length <= most) return name;
  const end = all.slice(-Math.min(TAIL, Math.floor(most / 2))).join("");
  const tail = end.replace(/^\S*\s+/, "");
  const head = all.slice(0, most - Math.min(TAIL, Math.floor(most / 2)) - 1).join("");
  return `${head.replace(/\s+\S{0,11}$/, "")} … ${tail}`;
}
