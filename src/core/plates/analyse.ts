import { cleanPlateText, hasOtherLetters } from "./alphabet.ts";
import { candidatesFor, type Observation } from "./correct.ts";
import type { Countries } from "./countries.ts";
import { couldBeForeign, formatPlate, formOf, type PlateKind } from "./forms.ts";
import { lookAlikeCost } from "./look-alikes.ts";

/** What the analyser makes of a text or of a reader's answer. */
export interface Analysis {
  /** Normalised plate; null when nothing plausible was found. */
  readonly plate: string | null;
  /** Grouped for display; null with the plate. */
  readonly formatted: string | null;
  readonly kind: PlateKind;
  readonly status: "recognised" | "unrecognised";
  readonly reason: "invalid_format" | null;
  /**
   * 0–100: how likely the whole string is right (of the reads at 90, nine in ten are); for a text, how little was
   * changed.
   */
  readonly confidence: number;
  /** Letters and digits as seen, before any correction. */
  readonly text: string;
}

/** Largest sum of corrections in a text: up to three likely look-alikes in a long plate, one in a short one. */
const MAX_TEXT_COST = { long: 3.6, short: 1.7 } as const;
/** Candidates closer than this are a tie, and a tie is not guessed. */
const TEXT_TIE = 0.05;

/**
 * Makes a plate of a text that a person or a client typed. Spacing, dashes and letter case never matter; a valid plate
 * is never changed; look-alikes are exchanged only where the position demands it, and the cheapest exchange wins.
 */
export function analyse(input: string, countries: Countries): Analysis {
  const text = cleanPlateText(input);
  const form = formOf(text);
  if (form !== null) return recognised(text, form.kind, 1, text);
  if (countries.havePlatesLike(text)) return recognised(text, "unknown", 1, text);
  const maxCost = text.length > 8 ? MAX_TEXT_COST.long : MAX_TEXT_COST.short;
  const seen: Observation = {
    length: text.length,
    cost: (index, character) => lookAlikeCost(text[index] ?? "", character),
  };
  const candidates = candidatesFor(seen, maxCost);
  const [best] = candidates;
  if (best !== undefined)
    return isTie(candidates, TEXT_TIE)
      ? refused(text)
      : recognised(best.plate, best.form.kind, Math.exp(-best.cost / 4), text);
  return couldBeForeign(text) ? recognised(text, "unknown", 0.9, text) : refused(text);
}

/**
 * The plate that a person or a client means; null if it is not a plate. Letters that a camera cannot read are not
 * simply left out: a ban would then be on a plate that nobody has, and what is allowed might be somebody else's.
 */
export function typedPlate(input: string, countries: Countries): Pick<Analysis, "plate" | "formatted"> {
  return hasOtherLetters(input) ? refused("") : analyse(input, countries);
}

function isTie(candidates: readonly { readonly rank: number }[], margin: number): boolean {
  const [first, second] = candidates;
  return first !== undefined && second !== undefined && second.rank - first.rank < margin;
}

/** A plate as it is. @param confidence fraction, 0–1 */
export function recognised(plate: string, kind: PlateKind, confidence: number, text: string): Analysis {
  return {
    plate,
    formatted: formatPlate(plate),
    kind,
    status: "recognised",
    reason: null,
    confidence: Math.round(100 * confidence),
    text,
  };
}

/** The analysis of a text that is not a plate. */
export function refused(text: string): Analysis {
  return {
    plate: null,
    formatted: null,
    kind: "unknown",
    status: "unrecognised",
    reason: "invalid_format",
    confidence: 0,
    text,
  };
}
