import type { Point, Sighting } from "./reading.ts";

/**
 * How a plate moves through a burst. Frames count as evenly spaced: the hub takes them so, and senders' times are their
 * own claims.
 */
export interface Track {
  /** How far its places lie apart, in plate widths, and its sizes, in their logarithm. */
  readonly moved: number;
  /** The way from its first place to its last, as a share of the way that it took. */
  readonly straight: number;
  /** Of the logarithm of its size, per frame. */
  readonly growth: number;
  /** What a straight line over the frames leaves of its slope, radians. */
  readonly slope: number;
  /** The same of the logarithm of its height by its width. */
  readonly shape: number;
  /**
   * What a straight way over the ground leaves of its place, plate widths: little of a vehicle's, whether it brakes or
   * not; more of a plate that somebody carries, who sways and bobs with each step.
   */
  readonly place: number;
  /** The same of the logarithm of its size. */
  readonly size: number;
}

/** A plate that moves less in a burst stands still: detectors place a standing plate a little differently each time. */
const STILL_BELOW = 0.35;
/**
 * How far a stray is from what the sightings next to it say, and how far at most those are from each other: logarithms
 * of sizes. A vehicle's plate grows by a third from frame to frame at most. And how many there are at most, as a share.
 */
const STRAY = { far: 0.4, agree: 0.45, most: 1 / 3 } as const;
/** The least depth that a plate is taken to have, of its usual one. */
const NEAREST = 0.05;
/** A column of which the others leave less than this share of its square says nothing of its own. */
const ALIKE = 1e-9;

/** Whether a plate stands still. A single frame cannot show it, and counts as standing still. */
export function standsStill(track: Track | null): boolean {
  return track === null || track.moved < STILL_BELOW;
}

/**
 * A plate's sightings without those whose corners are not the plate's own: now and then the detector draws them around
 * a part of the vehicle that is twice as large. Such a sighting is far from the size that the two next to it say, and
 * those two agree. Strays are few: where more than a third would be, none is, so that a sheet waved to and fro hides
 * nothing.
 */
export function withoutStrays<S extends Pick<Sighting, "frame" | "corners">>(sightings: readonly S[]): readonly S[] {
  const sizes = sightings.map(({ frame, corners }) => {
    const { width, height } = measuresOf(corners);
    return { t: frame, size: 0.5 * Math.log(width * height) };
  });
  const rest = sightings.filter((_, i) => {
    const first = Math.min(Math.max(0, i - 1), Math.max(0, sizes.length - 3));
    const [one, two] = sizes.slice(first, first + 3).filter((_step, k) => first + k !== i);
    const own = sizes[i];
    if (own === undefined || one === undefined || two === undefined) return true;
    const grows = (two.size - one.size) / Math.max(1, two.t - one.t);
    const agree = Math.abs(two.size - one.size) < STRAY.agree;
    return !agree || Math.abs(own.size - (one.size + grows * (own.t - one.t))) < STRAY.far;
  });
  return sightings.length - rest.length > sightings.length * STRAY.most ? sightings : rest;
}

/** How a plate moves; null when only one frame shows it. */
export function trackOf(seen: readonly Pick<Sighting, "frame" | "corners">[]): Track | null {
  const sightings = withoutStrays(seen);
  if (sightings.length < 2) return null;
  const steps = sightings.map(({ frame, corners }) => ({ t: frame, ...measuresOf(corners) }));
  const t = steps.map((step) => step.t);
  const size = steps.map(({ width, height }) => 0.5 * Math.log(width * height));
  const usual = Math.exp(mean(steps.map(({ width }) => Math.log(width))));
  const [x, y] = [steps.map((step) => step.x / usual), steps.map((step) => step.y / usual)];
  return {
    moved: Math.hypot(spread(x), spread(y)) + spread(size),
    straight: straightness(x, y),
    growth: fitted(t, size, 1).slope,
    slope: fitted(
      t,
      steps.map((step) => step.slope),
      1,
    ).left,
    shape: fitted(
      t,
      steps.map(({ width, height }) => Math.log(height / width)),
      1,
    ).left,
    place: besideStraight(t, [x, y], size),
    size: fitted(t, size, 2).left,
  };
}

/** Middle, width and height of a plate in pixels, and its slope in radians. */
export function measuresOf([a, b, c, d]: Sighting["corners"]): {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly slope: number;
} {
  const along: Point = [(b[0] + c[0] - a[0] - d[0]) / 2, (b[1] + c[1] - a[1] - d[1]) / 2];
  const across: Point = [(c[0] + d[0] - a[0] - b[0]) / 2, (c[1] + d[1] - a[1] - b[1]) / 2];
  return {
    x: (a[0] + b[0] + c[0] + d[0]) / 4,
    y: (a[1] + b[1] + c[1] + d[1]) / 4,
    width: Math.max(1, Math.hypot(...along)),
    height: Math.max(1, Math.hypot(...across)),
    slope: Math.atan2(along[1], along[0]),
  };
}

function straightness(x: readonly number[], y: readonly number[]): number {
  const step = (i: number, j: number): number => Math.hypot((x[j] ?? 0) - (x[i] ?? 0), (y[j] ?? 0) - (y[i] ?? 0));
  const way = x.slice(1).reduce((sum, _, i) => sum + step(i, i + 1), 0);
  return way === 0 ? 0 : step(0, x.length - 1) / way;
}

/** The slope of a line through the values, and what a polynomial of this degree leaves of them: root mean square, by what is free. */
function fitted(t: readonly number[], values: readonly number[], degree: 1 | 2): { slope: number; left: number } {
  const middle = mean(t);
  const u = t.map((one) => one - middle);
  const { left, free } = beside(values, powers(u, degree));
  const across = u.reduce((sum, one) => sum + one * one, 0);
  const down = u.reduce((sum, one, i) => sum + one * (values[i] ?? 0), 0);
  return { slope: across === 0 ? 0 : down / across, left: rootMeanSquare(left, free) };
}

/**
 * What is left of places when they follow a straight way on which the plate's depth is what its sizes say: with the
 * depth as a parabola of time, a place is a sum of a constant, a share of time, and one of the inverse of the depth.
 */
function besideStraight(t: readonly number[], places: readonly (readonly number[])[], size: readonly number[]): number {
  const middle = mean(size);
  const depth = size.map((one) => Math.exp(middle - one));
  const off = beside(depth, powers(t, 2)).left;
  const near = depth.map((one, i) => 1 / Math.max(NEAREST, one - (off[i] ?? 0)));
  const ways = [t.map(() => 1), near, ...(t.length > 3 ? [t] : [])];
  return Math.hypot(
    ...places.map((values) => {
      const { left, free } = beside(values, ways);
      return rootMeanSquare(left, free);
    }),
  );
}

/** Powers of time from 0 to a degree, fewer where there are few values. */
function powers(t: readonly number[], degree: 1 | 2): number[][] {
  const used = Math.min(degree, Math.max(0, t.length - 2));
  return Array.from({ length: used + 1 }, (_, power) => t.map((one) => one ** power));
}

/** What the best sum of some columns leaves of values, and how many values are free then. */
function beside(values: readonly number[], columns: readonly (readonly number[])[]): { left: number[]; free: number } {
  const axes: number[][] = [];
  for (const column of columns) {
    const axis = axes.reduce<number[]>(without, [...column]);
    if (squares(axis) > ALIKE * squares(column)) axes.push(axis);
  }
  return { left: axes.reduce<number[]>(without, [...values]), free: Math.max(1, values.length - axes.length) };
}

function rootMeanSquare(values: readonly number[], free: number): number {
  return Math.sqrt(squares(values) / free);
}

function squares(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one * one, 0);
}

/** Values without their share along an axis. */
function without(values: readonly number[], axis: readonly number[]): number[] {
  const length = squares(axis);
  if (length === 0) return [...values];
  const share = values.reduce((sum, one, i) => sum + one * (axis[i] ?? 0), 0) / length;
  return values.map((one, i) => one - share * (axis[i] ?? 0));
}

function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
