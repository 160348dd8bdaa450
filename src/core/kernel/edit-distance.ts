/**
 * Least number of characters to add, leave out or change that turn one text into the other (Levenshtein distance).
 * @param most anything above is returned as infinity, without working it out
 */
export function editDistance(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1];
    for (let place = 1; place <= other.length; place++) {
      const change = (row[place - 1] ?? 0) + (one[index] === other[place - 1] ? 0 : 1);
      next.push(Math.min(change, (row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > most) return Number.POSITIVE_INFINITY;
    row = next;
  }
  return row[other.length] ?? 0;
}
