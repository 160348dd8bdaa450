import type { Sighting } from "./reading.ts";
import { measuresOf, withoutStrays } from "./track.ts";
import type { Look } from "./vehicle-look.ts";

/** Where a plate stands in its frame: its middle as shares of the frame's width, and the logarithm of its height by that. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** An accepted pass, as a camera's lane is learned from it. */
export interface LanePass {
  readonly spots: readonly Spot[];
  /** It stood still, or one frame showed it. */
  readonly stood: boolean;
  /** How far it was from those before it: see {@link offLane}; null where there were too few. */
  readonly off: number | null;
  /** The plate, as far as its read is still kept. */
  readonly plate?: string | null;
  /** The look of its vehicle. */
  readonly look?: Look | null;
}

/** Accepted passes after which a camera knows its lane. */
export const LEARNED_AFTER = 50;
/** Passes of a camera that are kept, the latest ones. */
export const MOST_LANE_PASSES = 200;
/** Spots of a pass that are kept. */
const MOST_SPOTS = 4;
/** Passes before which nothing is compared. */
const LEAST_PASSES = 10;
const NEIGHBOURS = 3;
/** The scale of the distance: shares of the frame's width, and of the logarithm of the size. */
const SCALE = { place: 0.05, size: 0.2 };
/** Closer than this, in the scale above, the detector's own jitter is all that is left. */
const CLOSEST = 0.05;
/** How much a plate has to grow, in the logarithm of its size, for its way to point anywhere. */
const GROWS = 0.25;
/** The share of the accepted passes whose way counts as usual, and the least that does: a share of the distance from that point. */
const USUAL_WAY = { share: 0.9, least: 0.03 };
/** If more passes than this, and more than this share of them, stood still at first sight, standing still is usual. */
const USUALLY_STAND = { passes: 1, share: 0.2 };

/** What is kept of a pass: its first and last sighting, and some between. */
export function spotsOf(seen: readonly Pick<Sighting, "frame" | "corners" | "frameSize">[]): Spot[] {
  const sightings = withoutStrays(seen);
  const last = sightings.length - 1;
  const count = Math.min(MOST_SPOTS, sightings.length);
  const chosen = Array.from({ length: count }, (_, i) =>
    count === 1 ? 0 : Math.round((i * last) / Math.max(1, count - 1)),
  );
  return chosen.flatMap((at) => {
    const sighting = sightings[at];
    if (sighting === undefined) return [];
    const { x, y, height } = measuresOf(sighting.corners);
    const width = sighting.frameSize[0];
    const [share, size] = [(value: number) => rounded(value / width), Math.log(height / width)];
    return [{ x: share(x), y: share(y), size: rounded(size) }];
  });
}

/**
 * How far a pass is from those that a camera has accepted: the mean distance of its spots from the third nearest of
 * them. One or two passes of somebody who was wrongly accepted teach nothing. Null where there are too few.
 */
export function offLane(pass: readonly Spot[], accepted: readonly LanePass[]): number | null {
  if (accepted.length < LEAST_PASSES || pass.length === 0) return null;
  const each = pass.map((spot) => {
    const nearest = new Array<number>(NEIGHBOURS).fill(Number.POSITIVE_INFINITY);
    for (const { spots } of accepted) {
      const distance = Math.min(...spots.map((one) => apart(one, spot)));
      if (distance >= (nearest[NEIGHBOURS - 1] ?? 0)) continue;
      nearest[NEIGHBOURS - 1] = distance;
      nearest.sort((a, b) => a - b);
    }
    return nearest[NEIGHBOURS - 1] ?? 0;
  });
  return each.reduce((sum, one) => sum + one, 0) / each.length;
}

/**
 * How much farther a pass is from those that a camera has accepted than these usually are from each other, as a
 * logarithm; null where there are too few to say.
 */
export function laneOddness(pass: readonly Spot[], accepted: readonly LanePass[]): number | null {
  const off = offLane(pass, accepted);
  const usual = median(accepted.flatMap((one) => one.off ?? []));
  return off === null || usual === null ? null : Math.log(off / Math.max(usual, CLOSEST) + 0.3);
}

/**
 * How much less the way of a plate fits its growth than is usual here. Vehicles on a lane come out of one point of the
 * picture, far away: a plate that is twice as large stands twice as far from it. A film on a screen grows where it is.
 * Null where nothing is known of the lane or the way.
 */
export function wayOddness(pass: readonly Spot[], accepted: readonly LanePass[]): number | null {
  const from = comesFrom(accepted);
  if (from === null || pass.length < 2) return null;
  const usual = accepted
    .filter(({ spots }) => spots.length > 1)
    .map(({ spots }) => besideWay(spots, from))
    .sort((a, b) => a - b);
  const most = usual[Math.floor(USUAL_WAY.share * usual.length)] ?? 0;
  return besideWay(pass, from) / Math.max(USUAL_WAY.least, most);
}

/** Whether vehicles stand still at first sight at this camera, or it sends one frame: then that is nothing odd. */
export function usuallyStands(accepted: readonly LanePass[]): boolean {
  const stood = accepted.filter((pass) => pass.stood).length;
  return stood > Math.max(USUALLY_STAND.passes, accepted.length * USUALLY_STAND.share);
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The point out of which the plates of accepted passes come: where each would have no size. */
function comesFrom(accepted: readonly LanePass[]): Place | null {
  const points = accepted.flatMap(({ spots }) => {
    const [first, last] = [spots[0], spots.at(-1)];
    if (first === undefined || last === undefined || Math.abs(last.size - first.size) < GROWS) return [];
    const back = 1 / (Math.exp(last.size - first.size) - 1);
    return [{ x: first.x - (last.x - first.x) * back, y: first.y - (last.y - first.y) * back }];
  });
  const [x, y] = [median(points.map((point) => point.x)), median(points.map((point) => point.y))];
  return points.length < LEAST_PASSES || x === null || y === null ? null : { x, y };
}

/**
 * How far the spots of a pass lie from where they would be on a line out of a point, by their sizes; as a share of how
 * far they are from it, because a size that is a little wrong counts for more there.
 */
function besideWay(spots: readonly Spot[], from: Place): number {
  const seen = spots.map(({ x, y, size }) => ({ x: x - from.x, y: y - from.y, height: Math.exp(size) }));
  const squares = seen.reduce((sum, { height }) => sum + height * height, 0);
  const along = (axis: "x" | "y"): number => seen.reduce((sum, one) => sum + one[axis] * one.height, 0) / squares;
  const [right, down] = [along("x"), along("y")];
  const left = seen.reduce((sum, { x, y, height }) => sum + (x - right * height) ** 2 + (y - down * height) ** 2, 0);
  const height = Math.sqrt(squares / spots.length);
  return Math.sqrt(left / (spots.length - 1)) / height / (1 + Math.hypot(right, down));
}

function apart(a: Spot, b: Spot): number {
  return Math.hypot((a.x - b.x) / SCALE.place, (a.y - b.y) / SCALE.place, (a.size - b.size) / SCALE.size);
}

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : ([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null);
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
