import { invalidAt, placed } from "./places.js";

/**
 * Applies the entries of one part of a document in their order.
 *
 * `identity`: of which there can be one only. `kin`: entries of the same are told apart by their order, which `apply`
 * is given.
 * @throws Problem with the path of the entry
 */
export function each<Entry>(
  part: string,
  entries: readonly Entry[] | undefined,
  identity: ((entry: Entry) => string) | null,
  apply: (entry: Entry, nth: number) => object,
  kin: (entry: Entry) => string = () => "",
): object[] {
  const seen = new Map<string, number>();
  const counts = new Map<string, number>();
  return (entries ?? []).map(trimmed).map((entry, index) => {
    const place = `/${part}/${index}`;
    const own = identity?.(entry);
    const before = own === undefined ? undefined : seen.get(own);
    if (before !== undefined) throw invalidAt(place, `is the same as /${part}/${before}`);
    if (own !== undefined) seen.set(own, index);
    const nth = counts.get(kin(entry)) ?? 0;
    counts.set(kin(entry), nth + 1);
    return placed(place, () => apply(entry, nth));
  });
}

/** Names as the hub keeps them. */
function trimmed<Entry>(entry: Entry): Entry {
  return typeof entry === "object" && entry !== null && "name" in entry && typeof entry.name === "string"
    ? { ...entry, name: entry.name.trim() }
    : entry;
}
