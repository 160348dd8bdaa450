import { DIGITS, LETTERS } from "./alphabet.ts";
import { isState, STATES } from "./states.ts";

/** How a plate is classified (docs/spec/device-control-api.md §2). */
export type PlateKind = "standard" | "bharat" | "legacy" | "unknown";

/** One layout of one length. */
export interface Form {
  readonly kind: PlateKind;
  /**
   * One character per position, what it accepts: `d` digit, `l` series letter (no I, no O), `x` the same where a
   * correction is hard to believe, `a` any letter, `s` and `t` first and second letter of a state code, or one fixed
   * character.
   */
  readonly slots: string;
  /** Lengths of the groups for display; they add up to the length. */
  readonly groups: readonly number[];
  /**
   * How much less likely than a standard plate, in the unit of correction costs; matters only where a correction is
   * needed.
   */
  readonly rarity: number;
  /**
   * False if the layout is so loose that a correction would bend foreign texts into it: such plates count only as they
   * are.
   */
  readonly correctable: boolean;
  /** What the positions alone cannot express. */
  readonly accepts: (plate: string) => boolean;
}

const SERIES_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Characters that a position accepts, except for state codes, whose two letters belong together. */
export function charactersOf(slot: string): string {
  if (slot === "d") return DIGITS;
  if (slot === "l" || slot === "x") return SERIES_LETTERS;
  if (slot === "a") return LETTERS;
  return slot;
}

/** Every Indian layout of this length, most likely first. */
export function formsOfLength(length: number): readonly Form[] {
  return FORMS.get(length) ?? [];
}

/** The layout that `plate` fits without any change; null when there is none. */
export function formOf(plate: string): Form | null {
  return formsOfLength(plate.length).find((form) => fits(plate, form)) ?? null;
}

function fits(plate: string, form: Form): boolean {
  for (let i = 0; i < plate.length; i++) {
    const slot = form.slots[i] ?? "";
    const character = plate[i] ?? "";
    if (slot === "t") continue;
    if (slot === "s" ? !isState(plate.slice(i, i + 2)) : !charactersOf(slot).includes(character)) return false;
  }
  return form.accepts(plate);
}

const anything = (): boolean => true;
const times = (slot: string, count: number): string => slot.repeat(count);

/** District and number are counted from 1: a run of zeros is a misread. */
function standardForm(district: number, series: number, number: number): Form {
  const isLong = district === 2 && series === 3; // five digits after two letters are not a series of three
  const groups = [2, district, ...(series > 0 ? [series] : []), number];
  return {
    kind: "standard",
    slots: `st${times("d", district)}${times(isLong ? "x" : "l", series)}${times("d", number)}`,
    groups,
    rarity: (series === 0 ? 1 : series === 3 ? 0.3 : 0) + (4 - number) * 0.6 + (district === 1 ? 0.5 : 0),
    correctable: true,
    accepts: (plate) => Number(plate.slice(2, 2 + district)) > 0 && Number(plate.slice(-number)) > 0,
  };
}

function* standardForms(): Generator<Form> {
  for (const district of [2, 1])
    for (const series of [2, 1, 3, 0]) for (const number of [4, 3, 2, 1]) yield standardForm(district, series, number);
}

/** The Bharat series began in 2021. */
function* bharatForms(): Generator<Form> {
  for (const letters of [2, 1]) {
    yield {
      kind: "bharat",
      slots: `ddBHdddd${times("l", letters)}`,
      groups: [2, 2, 4, letters],
      rarity: 0.5,
      correctable: true,
      accepts: (plate) => Number(plate.slice(0, 2)) >= 21 && Number(plate.slice(4, 8)) > 0,
    };
  }
}

/** First letters of the three-letter codes used until 30 June 1989. */
const LEGACY_INITIALS = "ABCDGHJKMNOPRSTUW";

function* legacyForms(): Generator<Form> {
  for (const number of [4, 3, 2, 1]) {
    yield {
      kind: "legacy",
      slots: `aaa${times("d", number)}`,
      groups: [3, number],
      rarity: 2,
      correctable: number === 4,
      accepts: (plate) => LEGACY_INITIALS.includes(plate[0] ?? "") && Number(plate.slice(3)) > 0,
    };
  }
}

function other(slots: string, groups: readonly number[], accepts: (plate: string) => boolean = anything): Form {
  return {
    kind: "unknown",
    slots,
    groups,
    rarity: 1.5,
    correctable: slots.length > 8 && !slots.startsWith("d"),
    accepts,
  };
}

function* otherForms(): Generator<Form> {
  // for a month, until it is registered
  for (const letters of [1, 2])
    yield other(
      `Tddddstdddd${times("l", letters)}`,
      [1, 4, 2, 4, letters],
      (plate) => Number(plate.slice(1, 3)) >= 1 && Number(plate.slice(1, 3)) <= 12,
    );
  for (const district of [2, 1]) {
    // of dealers
    for (const number of [4, 3, 2, 1]) {
      yield other(`st${times("d", district)}TC${times("d", number)}l`, [2, district, 2, number, 1]);
      yield other(`st${times("d", district)}TCl${times("d", number)}l`, [2, district, 3, number, 1]);
    }
  }
  yield other("stVAlldddd", [2, 2, 2, 4]); // of vintage cars
  // of diplomats
  for (const corps of ["CD", "CC", "UN"])
    for (const country of [1, 2, 3])
      for (const number of [1, 2, 3, 4])
        yield other(`${times("d", country)}${corps}${times("d", number)}`, [country, 2, number]);
  for (const number of [6, 5]) yield other(`dda${times("d", number)}a`, [2, 1, number, 1]); // of the forces
}

const FORMS: ReadonlyMap<number, readonly Form[]> = byLength([
  ...standardForms(),
  ...bharatForms(),
  ...legacyForms(),
  ...otherForms(),
]);

function byLength(forms: readonly Form[]): Map<number, Form[]> {
  const map = new Map<number, Form[]>();
  for (const form of forms) map.set(form.slots.length, [...(map.get(form.slots.length) ?? []), form]);
  for (const list of map.values()) list.sort((a, b) => a.rarity - b.rarity);
  return map;
}

/** State codes as pairs of letters, for correction. */
export const STATE_PAIRS: readonly (readonly [string, string])[] = STATES.map((code) => [
  code.slice(0, 1),
  code.slice(1),
]);

/** A plate in its groups, such as `MH 12 AB 1234`; a plate of unknown layout as it is. */
export function formatPlate(plate: string): string {
  const form = formOf(plate);
  if (form === null) return plate;
  let from = 0;
  return form.groups
    .map((length) => {
      from += length;
      return plate.slice(from - length, from);
    })
    .join(" ");
}

/** The loosest test: 4–8 characters, both letters and digits. */
export function couldBeForeign(text: string): boolean {
  return text.length >= 4 && text.length <= 8 && /[0-9]/.test(text) && /[A-Z]/.test(text);
}
