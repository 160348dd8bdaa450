/** Lines as columns of a chart: interrupted at gaps, and no denser than can be drawn. */

/** One point of a line; `at` in epoch ms. */
export interface LinePoint {
  readonly at: number;
  readonly avg: number;
  readonly min: number | null;
  readonly max: number;
}

/** A line to draw. */
export interface Line {
  readonly label: string;
  readonly unit: string;
  /** Length of a bucket; 0: every point is one sample. */
  readonly stepMs: number;
  /** Oldest first. */
  readonly points: readonly LinePoint[];
  /** Of another time, laid over this one: drawn dashed. */
  readonly isEarlier?: boolean;
}

/** The colours of lines beside each other, by their numbers in all charts: hues that nobody mixes up. */
const LINE_COLORS = [0, 8] as const;

/** The number of a line's colour; one of another time is drawn dashed. */
export function colorOf({ isEarlier }: Line, index: number): number | "earlier" {
  return isEarlier === true ? "earlier" : (LINE_COLORS[index % LINE_COLORS.length] ?? 0);
}

/** Whether columns tell of different values at one place: a band is drawn from the lowest to the highest. */
export function hasRange([, , lows, highs]: Columns): boolean {
  return lows.some((low, index) => low !== (highs[index] ?? low));
}

/** The line is interrupted at a gap this many times longer than the usual interval. */
const OPEN_FROM = 4;

/** A line of fewer points is drawn as it is. */
const FEWEST = 40;
/** Points at even distances stay as they are, though their times waver. */
const ALMOST = 0.75;

/** Times in seconds, then mean, minimum and maximum. */
type Columns = [number[], (number | null)[], (number | null)[], (number | null)[]];

/**
 * A line's columns. Points of the same `leastMs` become one, whose minimum and maximum tell how far they lay apart; so do
 * points that lie closer than those of most of the time, or a line would end in a tuft where dense samples begin.
 */
export function columnsOf(line: Line, leastMs: number): Columns {
  const binMs = Math.max(leastMs, usualStep(line));
  const columns: Columns = [[], [], [], []];
  const [times, means, lows, highs] = columns;
  const gapMs = openFrom(line);
  let together = 0;
  for (const [index, { at, avg, min, max }] of line.points.entries()) {
    const previous = line.points[index - 1]?.at ?? at;
    const isOpen = at - previous > gapMs;
    if (isOpen) {
      times.push((previous + gapMs / 2 + line.stepMs / 2) / 1000);
      for (const column of [means, lows, highs]) column.push(null);
    }
    const last = times.length - 1;
    if (index > 0 && !isOpen && Math.floor(at / binMs) === Math.floor(previous / binMs)) {
      means[last] = ((means[last] ?? avg) * together + avg) / (together + 1);
      lows[last] = Math.min(lows[last] ?? avg, min ?? avg);
      highs[last] = Math.max(highs[last] ?? max, max);
      together += 1;
      continue;
    }
    together = 1;
    times.push((at + line.stepMs / 2) / 1000);
    means.push(avg);
    lows.push(min ?? avg);
    highs.push(max);
  }
  return columns;
}

/** The distance of points that most of the line's time has; 0 where most of it has gaps rather than points. */
function usualStep({ points }: Line): number {
  if (points.length < FEWEST) return 0;
  const distances = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at));
  const all = distances.reduce((sum, one) => sum + one, 0);
  let usual = 0;
  let passed = 0;
  for (const distance of distances.sort((one, other) => one - other)) {
    usual = distance;
    passed += distance;
    if (passed >= all / 2) break;
  }
  return usual > all / FEWEST ? 0 : usual * ALMOST;
}

function openFrom({ points, stepMs }: Line): number {
  const distances = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at));
  const usual = distances.sort((left, right) => left - right)[Math.floor(distances.length / 2)] ?? 0;
  return Math.max(2.5 * stepMs, OPEN_FROM * usual, 60_000);
}
