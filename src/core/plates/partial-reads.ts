import { area, shared } from "./boxes.ts";
import type { Sighting } from "./reading.ts";

/**
 * One plate never covers another: of two boxes of a frame that share more than this of the smaller one, one shows a
 * part of the other's plate, or frames it badly.
 */
const COVERED = 0.5;

type Scored = Pick<Sighting, "box" | "score" | "analysis">;

/**
 * The sightings of one frame without those that read a part of a plate which is read as a whole: a detector proposes
 * single lines of two-line plates, and halves of tilted ones, and some of them read like plates of their own. Sightings
 * without a plate stay.
 */
export function withoutPartialReads<Seen extends Scored>(sightings: readonly Seen[]): Seen[] {
  const isAlone = sightings.every((one) =>
    sightings.every((other) => one === other || covered(one.box, other.box) <= COVERED),
  );
  if (isAlone) return [...sightings];
  const partial = new Set<Seen>();
  let kept: Seen[] = [];
  for (const seen of sightings) {
    if (seen.analysis.plate === null) continue;
    const rivals = kept.filter((other) => covered(seen.box, other.box) > COVERED);
    const lost = rivals.every((other) => isBetter(seen, other)) ? rivals : [seen];
    for (const piece of lost) partial.add(piece);
    kept = [...kept, seen].filter((one) => !partial.has(one));
  }
  return sightings.filter((seen) => !partial.has(seen));
}

/**
 * Which of two readings of one place wins: the one that contains the other, an Indian layout before a free one, the
 * more certain one.
 */
function isBetter(a: Scored, b: Scored): boolean {
  const [mine, theirs] = [a.analysis.plate ?? "", b.analysis.plate ?? ""];
  if (mine !== theirs && (mine.includes(theirs) || theirs.includes(mine))) return mine.length > theirs.length;
  const [isIndian, isTheirsIndian] = [a.analysis.kind !== "unknown", b.analysis.kind !== "unknown"];
  if (isIndian !== isTheirsIndian) return isIndian;
  if (a.analysis.confidence !== b.analysis.confidence) return a.analysis.confidence > b.analysis.confidence;
  return a.score > b.score;
}

/** The share of the smaller of two boxes that both have in common. */
function covered(a: Sighting["box"], b: Sighting["box"]): number {
  const smaller = Math.min(area(a), area(b));
  return smaller <= 0 ? 0 : shared(a, b) / smaller;
}
