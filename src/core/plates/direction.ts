import type { Direction, Sighting } from "./reading.ts";

/** What is known about a camera's lane. */
export interface Lane {
  /** The lane is one-way: every car that this camera reads goes this way. */
  readonly direction: Direction | null;
  /** Which way a car goes that approaches the camera; null when that says nothing. */
  readonly approach: Direction | null;
}

/**
 * Growth that is not chance: the plate is at least this many times larger at the end than at the beginning, or the
 * reverse.
 */
const CLEAR_GROWTH = 1.15;
const LEAST_SIGHTINGS = 3;

/**
 * Direction of one vehicle: the lane's own, else what the sender knows, else from the plate growing or shrinking
 * through the burst. Null when none of them tells; never guessed.
 */
export function directionOf(lane: Lane, sender: Direction | null, sightings: readonly Sighting[]): Direction | null {
  return lane.direction ?? sender ?? seenDirectionOf(lane, sightings);
}

/** As {@link directionOf}, by what the hub itself knows or sees: a sender can claim anything. */
export function seenDirectionOf(lane: Lane, sightings: readonly Sighting[]): Direction | null {
  if (lane.direction !== null) return lane.direction;
  if (lane.approach === null) return null;
  const growth = growthOf(sightings);
  if (growth === null) return null;
  return growth > 1 ? lane.approach : opposite(lane.approach);
}

/**
 * How many times larger the plate is at the end of the burst than at its beginning; null when the frames do not agree
 * that it moved.
 */
export function growthOf(sightings: readonly Sighting[]): number | null {
  if (sightings.length < LEAST_SIGHTINGS) return null;
  const points = sightings.map((sighting) => [sighting.frame, Math.log(Math.max(1, length(sighting)))] as const);
  const meanFrame = mean(points.map(([frame]) => frame));
  const meanSize = mean(points.map(([, size]) => size));
  let covariance = 0;
  let frameVariance = 0;
  let sizeVariance = 0;
  for (const [frame, size] of points) {
    covariance += (frame - meanFrame) * (size - meanSize);
    frameVariance += (frame - meanFrame) ** 2;
    sizeVariance += (size - meanSize) ** 2;
  }
  if (frameVariance === 0 || sizeVariance === 0) return null;
  const correlation = covariance / Math.sqrt(frameVariance * sizeVariance);
  const [first, last] = [points[0], points[points.length - 1]];
  const growth = Math.exp((covariance / frameVariance) * ((last?.[0] ?? 0) - (first?.[0] ?? 0)));
  const isClear = Math.abs(correlation) >= 0.8 && (growth >= CLEAR_GROWTH || growth <= 1 / CLEAR_GROWTH);
  return isClear ? growth : null;
}

function opposite(direction: Direction): Direction {
  return direction === "in" ? "out" : "in";
}

/** Length of the plate's upper edge: unlike the box it does not change with the plate's tilt. */
function length({ corners: [topLeft, topRight] }: Sighting): number {
  return Math.hypot(topRight[0] - topLeft[0], topRight[1] - topLeft[1]);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
