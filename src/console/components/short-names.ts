/** Long names that begin alike: without their ends nobody could tell them apart. */

/** Letters that the narrowest tile of a phone has room for in two lines. */
const ROOM = 20;
/** Letters of the end that are kept. */
const TAIL = 12;

/** Letters as they are read: in Hindi a vowel sign belongs to the one before. */
const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A name in two parts, of which the first may be cut and the second may not. */
export interface CutName {
  readonly head: string;
  readonly tail: string;
}

/**
 * The names of a list that have to keep their ends, because another one would be cut to the same. The others may be cut
 * where their room ends.
 */
export function namesWithEnds(names: readonly string[]): ReadonlyMap<string, CutName> {
  const long = [...new Set(names)]
    .filter((name) => name.length > ROOM)
    .map((name) => ({ name, all: [...letters.segment(name)].map(({ segment }) => segment) }));
  const beginning = (all: readonly string[]): string => all.slice(0, ROOM).join("");
  const counts = new Map<string, number>();
  for (const { all } of long) counts.set(beginning(all), (counts.get(beginning(all)) ?? 0) + 1);
  return new Map(
    long
      .filter(({ all }) => (counts.get(beginning(all)) ?? 0) > 1)
      .map(({ name, all }) => {
        const end = all.slice(-TAIL).join("");
        const tail = end.replace(/^\S*\s+/, ""); // whole words, where there are any
        return [name, { head: name.slice(0, name.length - tail.length).trimEnd(), tail }];
      }),
  );
}
