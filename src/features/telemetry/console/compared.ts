/** How a value differs from itself at another time. Pure. */
import type { Line, LinePoint } from "./history-columns.ts";

/** What differs: a share of what it was then, or an amount in the line's unit. */
export interface Difference {
  readonly kind: "percent" | "amount";
  /** Of percent a share (0.12 is 12 % more); of an amount in the unit. */
  readonly change: number;
  /** Both in the line's unit: means, or of a counter what was counted. */
  readonly now: number;
  readonly past: number;
}

/** What of a value twice as much is twice: power, light, currents. A temperature is not, nor a level in percent. */
const SHARES = new Set(["W", "kWh", "A", "lx", "ppm"]);
const COUNTER = /^kwh/i;
/** Points further from each other than this part of the line's length are not of the same time of day. */
const NEAR = 0.02;

/**
 * The difference over the time that both lines have; null without such a time. `earlier` lies on the axis of `line`. A
 * counter is compared by what it counted, everything else by its mean.
 */
export function comparedWith(line: Line, earlier: Line, metric: string): Difference | null {
  const pairs = pairsOf(line.points, earlier.points);
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isCounter = COUNTER.test(metric);
  const [now, past] = isCounter
    ? [last[0].avg - first[0].avg, last[1].avg - first[1].avg]
    : [mean(pairs.map(([point]) => point.avg)), mean(pairs.map(([, point]) => point.avg))];
  if (!SHARES.has(line.unit)) return { kind: "amount", change: now - past, now, past };
  return past > 0 ? { kind: "percent", change: (now - past) / past, now, past } : null;
}

/** Each point with the nearest of the other line, where there is one near enough. */
function pairsOf(points: readonly LinePoint[], others: readonly LinePoint[]): [LinePoint, LinePoint][] {
  const length = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0);
  let place = 0;
  return points.flatMap((point): [LinePoint, LinePoint][] => {
    const away = (index: number): number => Math.abs((others[index]?.at ?? Number.POSITIVE_INFINITY) - point.at);
    while (place + 1 < others.length && away(place + 1) <= away(place)) place += 1;
    const other = others[place];
    return other !== undefined && away(place) <= Math.max(1, length * NEAR) ? [[point, other]] : [];
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
