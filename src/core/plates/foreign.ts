import { ALPHABET, classOf, DIGITS, LETTERS, TWINS } from "./alphabet.ts";
import type { Countries } from "./countries.ts";
import { couldBeForeign } from "./forms.ts";
import { lookAlikeCost } from "./look-alikes.ts";
import { filledSlots, freeText, minusLogDrawn, type SlotProbabilities } from "./readings.ts";
import { isState } from "./states.ts";

const SHORTEST_FOREIGN_READ = 5;
const MAX_TWINS = 4;
/** No Indian district is 0: what starts like this may be an O. */
const ZERO_FIRST = /^0[A-Z]/;
/** The most that taking a listed shape may give up, in nats. */
const MAX_SHAPE_COST = 6;

/** The text with one character for those that look alike. */
export function untwinned(text: string): string {
  return text.replaceAll("O", "0").replaceAll("I", "1");
}

/**
 * A read text as the plate of another country that it may be; null if it is not one, or is a part of an Indian plate.
 */
export function foreignPlateOf(text: string, countries: Countries): string | null {
  if (text.length < SHORTEST_FOREIGN_READ || isPartOfIndianPlate(text)) return null;
  const plate = foreignSpelling(text, countries);
  return (couldBeForeign(plate) || countries.havePlatesLike(plate)) && !isPartOfIndianPlate(plate) ? plate : null;
}

/**
 * Plates of other countries that a view may mean, the most likely first: its text as it is and, if its shape is
 * unlisted, the closest plate of a listed one.
 */
export function foreignPlatesOf(slots: SlotProbabilities, countries: Countries): string[] {
  const text = freeText(slots);
  if (isPartOfIndianPlate(text) && !ZERO_FIRST.test(text)) return [];
  const plain = foreignPlateOf(text, countries);
  if (plain !== null && countries.havePlatesLike(plain)) return [plain];
  const shaped = shapedPlate(slots, countries);
  return [plain, shaped].filter((plate) => plate !== null);
}

/**
 * The most likely plate of a listed shape: a D where a digit must be may be a 0, an S a 5, but a Q not a 9. Null if
 * that gives up too much.
 */
function shapedPlate(slots: SlotProbabilities, countries: Countries): string | null {
  const choices = filledSlots(slots).map((slot) => {
    const seen = cheapest(slots, slot, ALPHABET).character;
    const [L, D] = [LETTERS, DIGITS].map((of) =>
      cheapest(slots, slot, of.includes(seen) ? seen : (LOOK_ALIKES.get(seen) ?? [])),
    );
    return { L: L ?? NONE, D: D ?? NONE };
  });
  let best: { readonly plate: string; readonly cost: number } = { plate: "", cost: MAX_SHAPE_COST };
  for (const shape of countries.shapesOfLength(choices.length)) {
    let [plate, cost] = ["", 0];
    for (const [place, { L, D }] of choices.entries()) {
      const choice = shape[place] === "D" ? D : L;
      plate += choice.character;
      cost += choice.cost - Math.min(L.cost, D.cost);
    }
    if (cost < best.cost && !isPartOfIndianPlate(plate)) best = { plate, cost };
  }
  return best.plate === "" ? null : best.plate;
}

/** By character, the letters that a digit may be, or the digits that a letter may be. */
const LOOK_ALIKES: ReadonlyMap<string, readonly string[]> = new Map(
  [...ALPHABET].map((seen) => [
    seen,
    [...(LETTERS.includes(seen) ? DIGITS : LETTERS)].filter(
      (meant) => lookAlikeCost(seen, meant) < Number.POSITIVE_INFINITY,
    ),
  ]),
);

interface Choice {
  readonly character: string;
  readonly cost: number;
}

const NONE: Choice = { character: "", cost: Number.POSITIVE_INFINITY };

/** The most likely of the characters in a slot; none without characters. */
function cheapest(slots: SlotProbabilities, slot: number, characters: Iterable<string>): Choice {
  let best = NONE;
  for (const character of characters) {
    const cost = minusLogDrawn(slots, slot, classOf(character));
    if (cost < best.cost) best = { character, cost };
  }
  return best;
}

/** The shapes in use decide between twins, with as few exchanges as possible. */
function foreignSpelling(text: string, countries: Countries): string {
  if (countries.havePlatesLike(text)) return text;
  const places = [...text].flatMap((character, index) => (character in TWINS ? [index] : [])).slice(0, MAX_TWINS);
  const masks = Array.from({ length: (1 << places.length) - 1 }, (_, index) => index + 1).sort(
    (a, b) => bits(a) - bits(b),
  );
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
  return (
    (isState(text.slice(0, 2)) && /^..([0-9]{1,2}[A-Z]{0,3}|[0-9]{3,4})$/.test(text)) ||
    /^[0-9]{1,2}[A-Z]{1,3}[0-9]{4}$/.test(text)
  );
}
