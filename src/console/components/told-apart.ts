/**
 * What to call the things of a list: by their names, and those of several that have the same name with what else is
 * known of them: `Asha (asha@example.org)`.
 */
export function toldApart<Thing>(
  things: readonly Thing[],
  nameOf: (thing: Thing) => string,
  elseOf: (thing: Thing) => string,
): (thing: Thing) => string {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(nameOf(thing), (counts.get(nameOf(thing)) ?? 0) + 1);
  return (thing) => ((counts.get(nameOf(thing)) ?? 0) > 1 ? `${nameOf(thing)} (${elseOf(thing)})` : nameOf(thing));
}
