/** What stays on one line in a sentence: a number plate, a number with its unit, a time with its am or pm. */

/** Indian plates as they are written: `UP 32 JE 3626`, `24 BH 1234 AA`. */
const PLATES = /\b(?:[A-Z]{2} ?\d{1,2}(?: [A-Z]{1,3})? \d{3,4}|\d{2} BH \d{4} [A-Z]{1,2})\b/g;
const UNBROKEN = "\u00a0";

/** The space before a unit, in texts of the hub and of the console: `12 MB`, `5 s`, `80 %`, `5 मिनट`. */
const BEFORE_SYMBOL =
  /(?<=\p{N}) (?=(?:%|°[CF]|[kKMGT]?B|ms|s|min|h|[kM]?Wh?|m?[VA]|k?Hz|[kcm]?m|km\/h|px|hPa|lx|ppm|dBm|मि॰से॰|सेकंड|मिनट|घंट[ेा]|मेगाबाइट|प्रतिशत)(?![\p{L}\p{M}\p{N}]))/gu;

/** A text whose number plates, and numbers with their units, do not break over two lines. */
export function unbroken(text: string): string {
  return text.replace(PLATES, (plate) => plate.replaceAll(" ", UNBROKEN)).replace(BEFORE_SYMBOL, UNBROKEN);
}

/** A number with its unit: `31 W`. @param unit empty: the number alone */
export function withUnit(amount: string, unit: string): string {
  return unit === "" ? amount : `${amount}${UNBROKEN}${unit}`;
}

/** The space before a unit that a browser writes: `39 min ago`, `57.7 GB`. */
const BEFORE_UNIT = /(?<=\p{N})[ \u202f](?=\p{L})/gu;

/** A text of the browser whose numbers stay with the word that they count. */
export function withUnits(text: string): string {
  return text.replace(BEFORE_UNIT, UNBROKEN);
}

/** The space before `am`, `PM` or `a. m.`. */
const BEFORE_HALF = /[ \u202f](?=[ap]\.?[ \u00a0\u202f]?m\b)/gi;

/** A text whose times of day do not leave their am or pm behind. */
export function withHalves(text: string): string {
  return text.replace(BEFORE_HALF, UNBROKEN);
}

/** A text with spaces as people type them, for what is stored or compared. */
export function asTyped(text: string): string {
  return text.replaceAll(UNBROKEN, " ");
}
