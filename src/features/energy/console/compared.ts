/** A period beside any other one of its length. Pure. */
import type { HouseEnergy } from "../resources/energy.ts";

/**
 * The energy of a period with another one in the place of the period before it. Of the other one, as much counts as far
 * as this one has come at `now`: its hours or days up to there, and the part of the one that is under way.
 */
export function comparedWith(energy: HouseEnergy, other: HouseEnergy, now: number): HouseEnergy {
  const starts = energy.buckets.map(({ at }) => Date.parse(at));
  const end = Date.parse(energy.to);
  const partOf = (index: number): number => {
    const from = starts[index] ?? end;
    const to = starts[index + 1] ?? end;
    return Math.max(0, Math.min(1, (now - from) / Math.max(1, to - from)));
  };
  const soFar = (amountOf: (bucket: HouseEnergy["buckets"][number]) => number | null): number =>
    other.buckets.reduce((sum, bucket, index) => sum + (amountOf(bucket) ?? 0) * partOf(index), 0);
  return {
    ...energy,
    before: {
      from: other.from,
      sums: other.sums,
      soFar: {
        ...other.sums,
        used: soFar(({ used }) => used),
        cost: other.sums.cost === null ? null : soFar(({ cost }) => cost),
      },
      used: other.buckets.map(({ used }) => used),
    },
  };
}
