import { formOf } from "./forms.js";

/** Shorter ones are found in too many other texts. */
const SHORTEST = 8;
/** A plate is written in at most so many groups: `MH 12 AB 1234`. */
const MOST_GROUPS = 4;

/** Whether a text that a person or a device wrote holds an Indian number plate of a common layout, however it is grouped. */
export function mentionsPlate(text: string): boolean {
  const words = text
    .slice(0, LONGEST_TEXT)
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== "");
  return words.some((_, from) => {
    let joined = "";
    return words.slice(from, from + MOST_GROUPS).some((word) => {
      joined += word;
      const form = joined.length < SHORTEST ? null : formOf(joined);
      return form !== null && form.kind !== "unknown";
    });
  });
}

/** Longer than any text of the feed. */
const LONGEST_TEXT = 4_096;
