/** Things of one day, under its name. */
interface OfDay<One> {
  readonly name: string;
  readonly things: readonly One[];
}

/** Things by the names of their days, in the order in which they come. */
export function byDay<One>(all: readonly One[], nameOf: (one: One) => string): readonly OfDay<One>[] {
  const days = new Map<string, One[]>();
  for (const one of all) {
    const name = nameOf(one);
    const known = days.get(name);
    if (known === undefined) days.set(name, [one]);
    else known.push(one);
  }
  return [...days].map(([name, things]) => ({ name, things }));
}
