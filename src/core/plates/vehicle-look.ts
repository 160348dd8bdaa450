/**
 * Whether a plate comes on the vehicle on which it always came. In: what a network makes of the surroundings of a plate,
 * numbers that are alike for one vehicle and differ between vehicles (models/plate-surroundings.md). It may make
 * somebody be asked and nothing else: vehicles are repaired, loaded, dirty and sold.
 */

/** A vehicle's look: a vector of length 1 in signed bytes, so that 127 is 1. */
export type Look = Int8Array;

/** Earlier passes of a plate before which nothing is compared. */
export const LEAST_LOOKS = 5;
/** One pass of another vehicle that was wrongly let in teaches nothing. */
const NEAREST = 2;
/**
 * Farther than this from them, as 1 less the cosine, it is another vehicle: of real vehicles on drives none of 358 pairs
 * of frames was as far from the others of its own, and 83 % of those of other vehicles were
 * (models/training/train_vehicle_look.py).
 */
const MOST_FAR = 0.7;

/** The mean of some looks, of length 1 again; null without any. */
export function lookOf(vectors: readonly ArrayLike<number>[]): Look | null {
  const [first] = vectors;
  if (first === undefined) return null;
  const mean = Array.from(first, (_, i) => vectors.reduce((sum, vector) => sum + (vector[i] ?? 0), 0));
  const length = Math.hypot(...mean);
  return length === 0 ? null : Int8Array.from(mean, (value) => Math.round((127 * value) / length));
}

/** Whether a vehicle looks unlike the one of the earlier passes of its plate; false where there are too few. */
export function isOtherVehicle(look: Look, earlier: readonly Look[]): boolean {
  if (earlier.length < LEAST_LOOKS) return false;
  const far = earlier.map((one) => apart(look, one)).sort((a, b) => a - b);
  return (far[NEAREST - 1] ?? 0) > MOST_FAR;
}

/** 1 less the cosine of the angle between two looks. */
function apart(a: Look, b: Look): number {
  const [length, other] = [Math.hypot(...a), Math.hypot(...b)];
  return length === 0 || other === 0
    ? 1
    : 1 - a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / length / other;
}
