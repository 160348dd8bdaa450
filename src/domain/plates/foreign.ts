import type { Countries } from "./countries.js";
import { couldBeForeign } from "./forms.js";
import { isState } from "./states.js";

const SHORTEST_FOREIGN_READ = 5;
/** O and 0, I and 1 are drawn alike on many plates. */
export const TWINS: Readonly<Record<string, string>> = { O: "0", "0": "O", I: "1", "1": "I" };
const MAX_TWINS = 4;

/** A read text as the plate of another country that it may be; null where it is none, or a piece of an Indian plate. */
export function foreignPlateOf(text: string, countries: Countries): string | null {
  if (text.length < SHORTEST_FOREIGN_READ || isPartOfIndianPlate(text)) return null;
  const plate = foreignSpelling(text, countries);
  return (couldBeForeign(plate) || countries.havePlatesLike(plate)) && !isPartOfIndianPlate(plate) ? plate : null;
}

/** The shapes in use decide between twins, with as few exchanges as possible. */
function foreignSpelling(text: string, countries: Countries): string {
  if (countries.havePlatesLike(text)) return text;
  const places = [...text].flatMap((character, index) => (character in TWINS ? [index] : [])).slice(0, MAX_TWINS);
  const masks = Array.from({ length: (1 << places.length) - 1 }, (_, index) => index + 1).sort((a, b) => bits(a) - bits(b));
  for (const mask of masks) {
    const spelling = [...text].map((character, index) =>
      (mask >> places.indexOf(index)) & 1 && places.includes(index) ? (TWINS[character] ?? character) : character,
    );
    if (countries.havePlatesLike(spelling.join(""))) return spelling.join("");
  }
  return text;
}

function bits(mask: number): number {
  return mask === 0 ? 0 : (mask & 1) + bits(mask >> 1);
}

/** `MH12AB`, `12AB1234`, `KA011`: one line of a two-line plate, or a plate cut off at the edge of the picture. */
function isPartOfIndianPlate(text: string): boolean {
  return (isState(text.slice(0, 2)) && /^..([0-9]{1,2}[A-Z]{0,3}|[0-9]{3,4})$/.test(text)) || /^[0-9]{1,2}[A-Z]{1,3}[0-9]{4}$/.test(text);
}
