import { invalidAt, placed } from "./places.ts";

/**
 * Applies the entries of one part of a document in order.
 *
 * `identity`: must be unique. `kin`: entries with the same one are distinguished by their order, which `apply` gets.
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

/** Names in the form in which the hub stores them. */
function trimmed<Entry>(entry: Entry): Entry {
  return typeof entry === "object" && entry !== null && "name" in entry && typeof entry.name === "string"
    ? { ...entry, name: entry.name.trim() }
    : entry;
}
