/** A number plate in a sentence stays on one line. */

/** Indian plates as they are written: `UP 32 JE 3626`, `24 BH 1234 AA`. */
const PLATES = /\b(?:[A-Z]{2} ?\d{1,2}(?: [A-Z]{1,3})? \d{3,4}|\d{2} BH \d{4} [A-Z]{1,2})\b/g;
const UNBROKEN = "\u00a0";

/** A text whose number plates do not break over two lines. */
export function unbroken(text: string): string {
  return text.replace(PLATES, (plate) => plate.replaceAll(" ", UNBROKEN));
}
