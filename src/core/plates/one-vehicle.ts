import { editDistance } from "../kernel/edit-distance.ts";

/** What was seen of one plate: its text, and where it was recognised, the plate and how likely it is right (0–100). */
export interface PlateEvidence {
  readonly text: string;
  readonly plate: string | null;
  readonly confidence: number;
}

/** From this confidence on a plate counts as known, as Indian plates are stored from it on. */
const KNOWN = 78;
/** Two plates that differ by this many edits are of two vehicles: no misread of a known plate changes that much. */
const APART = 4;
/** Two texts of one vehicle differ by at most this fraction of the longer one, wherever they are. */
const SAME_TEXT = 0.34;
/** If the plate hardly moved, more may differ: the place speaks for the same vehicle. */
const SAME_PLACE_TEXT = 0.5;

/**
 * Whether two reads are certainly of two vehicles: both plates are known, and too much differs for one to be a misread
 * of the other. Nothing joins such reads, neither the frames of a burst nor the bursts of a pass.
 */
export function areTwoVehicles(a: Omit<PlateEvidence, "text">, b: Omit<PlateEvidence, "text">): boolean {
  return isKnown(a) && isKnown(b) && editDistance(a.plate, b.plate) >= APART;
}

/**
 * The share of characters in which two sightings differ, 0–1; infinite where they cannot be of one vehicle. Beside a
 * known plate, characters that are lacking are no difference: part of it may be covered.
 * @param isSamePlace whether the plate hardly moved between them
 */
export function differenceWithinVehicle(a: PlateEvidence, b: PlateEvidence, isSamePlace: boolean): number {
  if (areTwoVehicles(a, b)) return Number.POSITIVE_INFINITY;
  const edits = editDistance(a.text, b.text);
  const exchanged = edits - Math.abs(a.text.length - b.text.length);
  if ((isKnown(a) || isKnown(b)) && exchanged >= APART) return Number.POSITIVE_INFINITY;
  const share = edits / Math.max(1, a.text.length, b.text.length);
  return share <= (isSamePlace ? SAME_PLACE_TEXT : SAME_TEXT) ? share : Number.POSITIVE_INFINITY;
}

function isKnown<One extends Omit<PlateEvidence, "text">>(one: One): one is One & { readonly plate: string } {
  return one.plate !== null && one.confidence >= KNOWN;
}
