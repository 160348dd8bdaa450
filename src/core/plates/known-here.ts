import { meanCost, weighed } from "./agree.ts";
import { type Analysis, recognised } from "./analyse.ts";
import { formOf } from "./forms.ts";
import type { VehicleReading } from "./reading.ts";

/** What a person put right: the plate that the hub had made of the picture, or else the text, and the right one. */
export interface Correction {
  readonly seen: string;
  readonly plate: string;
}

/** What a site knows. */
export interface Experience {
  /** Of this camera. */
  readonly corrections: readonly Correction[];
  /** Plates that were seen at the site before. */
  readonly known: readonly string[];
  /** Whether a rule names the plate. */
  readonly isListed: (plate: string) => boolean;
}

/** A read from this confidence on is certain: nothing that is known of the site changes it. */
const CERTAIN = 90;
/** The confidence of a plate that the pictures alone do not give. */
const ASSUMED = 60;
/** Shorter texts may be a part of any plate. */
const LEAST_TEXT = 6;
/** Characters in which a read may differ from the plate that it is taken for. */
const MOST_EXCHANGED = 2;
/** So often must a character have been put right by the same other one, or a text by the same listed plate. */
const OFTEN = 2;
/** The most, in nats, by which the views may favour what was read over the plate that it is taken for. */
const MOST_AGAINST = 5;

/**
 * A doubtful read as the plate of this site that it more likely is; null where it stays as it is. A plate is taken where
 * this camera showed the same text before and a person put it right, or where it differs from a plate that the site knows
 * only in characters that persons put right here before. A listed plate is taken only for a text that was put right by
 * it, and by no other, more than once: a visitor's plate must not become a resident's. The result is marked as
 * assumed, and opens no gate.
 */
export function knownHere(vehicle: VehicleReading, experience: Experience): VehicleReading | null {
  const { analysis } = vehicle;
  const seen = analysis.plate ?? analysis.text;
  if (analysis.confidence >= CERTAIN || seen.length < LEAST_TEXT) return null;
  const plate = putRight(seen, experience) ?? likeliest(seen, experience);
  if (plate === null || plate === seen || isAgainst(vehicle, seen, plate)) return null;
  return { ...vehicle, analysis: assumed(plate, analysis), votes: Math.max(1, vehicle.votes), isAssumed: true };
}

function assumed(plate: string, { text, confidence }: Analysis): Analysis {
  const kind = formOf(plate)?.kind ?? "unknown";
  return { ...recognised(plate, kind, ASSUMED / 100, text), confidence: Math.min(ASSUMED, Math.max(1, confidence)) };
}

/** What this very text was put right by. */
function putRight(seen: string, { corrections, isListed }: Experience): string | null {
  const plates = corrections.filter((one) => one.seen === seen).map(({ plate }) => plate);
  const [first] = plates;
  if (first === undefined || plates.some((plate) => plate !== first)) return null;
  return plates.length >= OFTEN || !isListed(first) ? first : null;
}

/** The one known, unlisted plate from which the text differs only in characters that were mixed up here before. */
function likeliest(seen: string, { corrections, known, isListed }: Experience): string | null {
  if (known.includes(seen)) return null;
  const mixed = mixedUp(corrections);
  const near = known.filter((plate) => {
    const exchanged = exchanges(seen, plate);
    return (
      exchanged !== null &&
      exchanged.length <= MOST_EXCHANGED &&
      exchanged.every((one) => (mixed.get(one) ?? 0) >= OFTEN)
    );
  });
  const [only, ...others] = near;
  return only === undefined || others.length > 0 || isListed(only) ? null : only;
}

/** How often each character was put right by each other one. */
function mixedUp(corrections: readonly Correction[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { seen, plate } of corrections)
    for (const one of exchanges(seen, plate) ?? []) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** The characters that differ, as pairs; null for texts of different lengths. */
function exchanges(seen: string, plate: string): string[] | null {
  if (seen.length !== plate.length) return null;
  return [...seen].flatMap((character, place) => (character === plate[place] ? [] : [`${character}${plate[place]}`]));
}

/** Whether the pictures favour what was read too much; true as well if there are no views. */
function isAgainst({ sightings }: VehicleReading, seen: string, plate: string): boolean {
  const views = weighed(sightings.flatMap((sighting) => sighting.views));
  return views.length === 0 || meanCost(views, plate) - meanCost(views, seen) > MOST_AGAINST;
}
