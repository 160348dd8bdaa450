/** No doubt of the reader's about one plate reaches further. */
const MOST_EDITS = 3;

/** Whether one plate becomes the other by at most three characters that are changed, added or left out. */
export function isSimilar(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > MOST_EDITS) return false;
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let place = 1; place <= other.length; place++)
      next.push(
        Math.min(
          (row[place] ?? 0) + 1,
          (next[place - 1] ?? 0) + 1,
          (row[place - 1] ?? 0) + (other[place - 1] === character ? 0 : 1),
        ),
      );
    if (Math.min(...next) > MOST_EDITS) return false;
    row = next;
  }
  return (row[other.length] ?? 0) <= MOST_EDITS;
}
