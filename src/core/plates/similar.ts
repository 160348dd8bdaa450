import { editDistance } from "../kernel/edit-distance.ts";

/** No doubt of the reader's about one plate reaches further. */
const MOST_EDITS = 3;

/** Whether one plate becomes the other by at most three characters that are changed, added or left out. */
export function isSimilar(one: string, other: string): boolean {
  return Math.abs(one.length - other.length) <= MOST_EDITS && editDistance(one, other, MOST_EDITS) <= MOST_EDITS;
}
