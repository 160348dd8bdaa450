/** Cuts a time range into buckets, so that a screen can show it. Pure. */
import { DateTime } from "luxon";
import { bucketOf, HOUR_MS, QUARTER_MS } from "./energy.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Lengths that people read easily, up to a day. */
const STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 12, 24].map((hours) => hours * HOUR_MS),
];

/** Buckets of a range, one after another, all of the same length except where a day has more or fewer hours than 24. */
export interface HistoryBuckets {
  readonly stepMs: number;
  /** Ascending starts, and the end of the last one. */
  readonly edges: readonly number[];
}

/**
 * At most about `points` buckets over [fromMs, toMs). Those of half an hour and more begin at local midnight of
 * `timeZone` (IANA name), so that a day of 23 or 25 hours is whole; `finest` bounds their length from below.
 */
export function historyBuckets(stretch: {
  fromMs: number;
  toMs: number;
  points: number;
  timeZone: string;
  finestMs?: number;
}): HistoryBuckets {
  const { fromMs, toMs, points, timeZone, finestMs = 0 } = stretch;
  const wanted = Math.max(finestMs, (toMs - fromMs) / points);
  const stepMs = STEPS_MS.find((step) => step >= wanted) ?? Math.ceil(wanted / DAY_MS) * DAY_MS;
  if (stepMs <= QUARTER_MS) return { stepMs, edges: evenEdges(fromMs, toMs, stepMs) };
  const edges: number[] = [];
  let day = localMidnight(fromMs, timeZone);
  const days = Math.max(1, Math.round(stepMs / DAY_MS));
  for (let start = day.toMillis(); start < toMs; ) {
    day = day.plus({ days }).startOf("day");
    const end = day.toMillis();
    for (let edge = start; edge < end && edge < toMs; edge += stepMs >= DAY_MS ? end - start : stepMs)
      if (edge + stepMs > fromMs) edges.push(edge);
    start = end;
  }
  return { stepMs, edges: [...edges, Math.max(toMs, edges.at(-1) ?? fromMs)] };
}

function evenEdges(fromMs: number, toMs: number, stepMs: number): number[] {
  const edges: number[] = [];
  let edge = Math.floor(fromMs / stepMs) * stepMs;
  for (; edge < toMs; edge += stepMs) edges.push(edge);
  return [...edges, edge];
}

function localMidnight(at: number, timeZone: string): DateTime {
  const local = DateTime.fromMillis(at, { zone: timeZone });
  return (local.isValid ? local : DateTime.fromMillis(at, { zone: "UTC" })).startOf("day");
}

/** Some samples of one metric. `min` is null where it is not known. */
export interface HistoryPart {
  readonly at: number;
  readonly count: number;
  readonly sum: number;
  readonly max: number;
  readonly min: number | null;
}

/** One point of a line; `at` is the start of its bucket in epoch ms, or the time of the only sample. */
export interface HistoryPoint {
  readonly at: number;
  readonly avg: number;
  /** Null if unknown: the samples were deleted, and their roll-up is of an old version. */
  readonly min: number | null;
  readonly max: number;
}

/** Collects parts into buckets. */
export class HistorySums {
  readonly #edges: readonly number[];
  readonly #sums: ({ count: number; sum: number; max: number; min: number | null } | undefined)[];
  #place = 0;

  constructor(edges: readonly number[]) {
    this.#edges = edges;
    this.#sums = new Array(Math.max(0, edges.length - 1));
  }

  /** Adds a part; anything outside all buckets is left out. */
  add(part: HistoryPart): void {
    const place = this.#placeOf(part.at);
    if (place < 0 || part.count === 0) return;
    const known = this.#sums[place];
    if (known === undefined) {
      this.#sums[place] = { count: part.count, sum: part.sum, max: part.max, min: part.min };
      return;
    }
    known.count += part.count;
    known.sum += part.sum;
    known.max = Math.max(known.max, part.max);
    known.min = known.min === null || part.min === null ? null : Math.min(known.min, part.min);
  }

  /** The points, oldest first; empty buckets have none. */
  points(): HistoryPoint[] {
    return this.#sums.flatMap((bucket, index) =>
      bucket === undefined
        ? []
        : [{ at: this.#edges[index] ?? 0, avg: bucket.sum / bucket.count, min: bucket.min, max: bucket.max }],
    );
  }

  /** Most parts come in order: the previous part's bucket is tried first. */
  #placeOf(at: number): number {
    const edges = this.#edges;
    const holds = (place: number): boolean =>
      at >= (edges[place] ?? Number.POSITIVE_INFINITY) && at < (edges[place + 1] ?? Number.NEGATIVE_INFINITY);
    if (holds(this.#place)) return this.#place;
    if (holds(this.#place + 1)) {
      this.#place += 1;
      return this.#place;
    }
    const place = bucketOf(edges, at);
    if (place >= 0) this.#place = place;
    return place;
  }
}
