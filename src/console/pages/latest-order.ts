/** Cars and what else happened in one order. */

/** What a list of the latest shows: a car, or a line of the house. */
export type Entry<Car, Line> = { readonly at: string } & (
  | { readonly car: Car; readonly line?: never }
  | { readonly line: Line; readonly car?: never }
);

/** Entries in all. */
const MOST = 8;
/** Lines of the house among them, however many cars came; the others are cars, whatever else happened. */
const OTHERS = 4;

/** The newest of both, newest first: neither a busy gate nor a busy house hides the other. */
export function latestOf<Car extends { readonly at: string }, Line extends { readonly item: { readonly at: string } }>(
  cars: readonly Car[],
  lines: readonly Line[],
): readonly Entry<Car, Line>[] {
  const shown = cars.slice(0, MOST - Math.min(OTHERS, lines.length));
  const entries: Entry<Car, Line>[] = [
    ...shown.map((car) => ({ at: car.at, car })),
    ...lines.slice(0, MOST - shown.length).map((line) => ({ at: line.item.at, line })),
  ];
  return entries.sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/** A line of the house, as far as it may be a routine. */
interface Done {
  readonly item: { readonly kind: string; readonly title: string };
}

/** Lines, newest first, with the last of each scene that somebody runs again and again: day for day it is no news. */
export function withoutRoutine<Line extends Done>(lines: readonly Line[]): Line[] {
  const known = new Set<string>();
  return lines.filter(({ item: { kind, title } }) => {
    if (kind !== "scene.activated") return true;
    const isFirst = !known.has(title);
    known.add(title);
    return isFirst;
  });
}
