/**
 * Energy from samples: windows, buckets and the integral over them (docs/spec/domain.md §4.3), and how a meter's
 * counter becomes consumption in spite of resets and gaps. Pure: numbers in, numbers out; knows no storage.
 */
import { DateTime } from "luxon";

/** Milliseconds of one hour. */
export const HOUR_MS = 3_600_000;
/** Milliseconds of the finest roll-up: every time zone's midnight falls on a quarter of a UTC hour. */
export const QUARTER_MS = 900_000;
/** Longest window, in hours, that is answered in hourly buckets. */
const HOURLY_UP_TO_HOURS = 48;

/** Some samples of one metric: their count, sum and maximum; `at` (epoch ms) identifies their bucket. */
export interface EnergyPart {
  readonly at: number;
  readonly count: number;
  readonly sum: number;
  readonly max: number;
}

/**
 * The requested window [from, to] in epoch ms, with the starts of its buckets; the first bucket may start before
 * `from`.
 */
export interface EnergyWindow {
  readonly from: number;
  readonly to: number;
  readonly granularity: "hour" | "day";
  /** Ascending starts; one more than there are buckets, the last being the end of the last bucket. */
  readonly edges: readonly number[];
}

/** One bucket of the answer; `at` is its start in epoch ms. */
interface EnergyBucket {
  readonly at: number;
  readonly avg: number;
  readonly max: number;
}

/** The answer: buckets without samples are left out; `kwh` has three decimals. */
export interface Energy {
  readonly granularity: "hour" | "day";
  readonly kwh: number;
  readonly series: readonly EnergyBucket[];
}

/**
 * The window of the last `hours` before `nowMs`: whole UTC hours up to 48 h, local days of `timeZone` (IANA name)
 * beyond.
 */
export function energyWindow(hours: number, nowMs: number, timeZone: string): EnergyWindow {
  const from = nowMs - hours * HOUR_MS;
  if (hours <= HOURLY_UP_TO_HOURS) {
    const edges: number[] = [];
    for (let edge = Math.floor(from / HOUR_MS) * HOUR_MS; edge <= nowMs; edge += HOUR_MS) edges.push(edge);
    edges.push((edges.at(-1) ?? 0) + HOUR_MS);
    return { from, to: nowMs, granularity: "hour", edges };
  }
  const local = DateTime.fromMillis(from, { zone: timeZone });
  let day = (local.isValid ? local : DateTime.fromMillis(from, { zone: "UTC" })).startOf("day");
  const edges = [day.toMillis()];
  while (day.toMillis() <= nowMs) {
    day = day.plus({ days: 1 }).startOf("day");
    edges.push(day.toMillis());
  }
  return { from, to: nowMs, granularity: "day", edges };
}

/** Sorts `parts` into the window's buckets and integrates. Parts outside the edges are ignored. */
export function energySeries(parts: Iterable<EnergyPart>, window: EnergyWindow): Energy {
  const { edges, from, to } = window;
  const buckets = new Map<number, { count: number; sum: number; max: number }>();
  for (const part of parts) {
    const index = bucketOf(edges, part.at);
    if (index < 0 || part.count === 0) continue;
    const bucket = buckets.get(index);
    if (bucket === undefined) buckets.set(index, { count: part.count, sum: part.sum, max: part.max });
    else {
      bucket.count += part.count;
      bucket.sum += part.sum;
      bucket.max = Math.max(bucket.max, part.max);
    }
  }
  const series: EnergyBucket[] = [];
  let integral = 0;
  for (const [index, bucket] of [...buckets].sort((a, b) => a[0] - b[0])) {
    const start = edges[index] ?? 0;
    const end = edges[index + 1] ?? start;
    const avg = bucket.sum / bucket.count;
    series.push({ at: start, avg, max: bucket.max });
    integral += avg * ((Math.min(end, to) - Math.max(start, from)) / HOUR_MS);
  }
  return { granularity: window.granularity, kwh: Math.round(integral) / 1000 || 0, series };
}

/** Index of the last of ascending `edges` at or before `at`; -1 outside all buckets. */
export function bucketOf(edges: readonly number[], at: number): number {
  let low = 0;
  let high = edges.length - 1;
  if (at < (edges[0] ?? 0) || at >= (edges[high] ?? 0)) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low;
}

/** A meter's counter at one moment: kWh since it was made or last reset. */
export interface CounterReading {
  readonly at: number;
  readonly kwh: number;
}

/** The energy used between two readings of a counter. */
export interface CounterStep {
  /** Consumption to count; 0 when it is not known. */
  readonly kwh: number;
  /** The counter went backwards: it was reset in between. */
  readonly reset: boolean;
  /** More than the meter can carry: kept out of the sums for a person to look at. */
  readonly quarantined: boolean;
  /** The readings are further apart than one bucket, so the values in between are interpolated. */
  readonly estimated: boolean;
  /** The consumption spread over the UTC hours between the readings; `at` is each hour's start. Sums to `kwh`. */
  readonly hours: readonly { readonly at: number; readonly kwh: number }[];
}

/** After a reset, the new total is what was used since if it is at most this share of the old one. */
const RESET_SHARE = 0.05;
const OVERLOAD = 1.2;
/** Over a gap longer than this (10 days), nothing is spread by hour; the whole step counts in its last hour. */
const LONGEST_SPREAD_MS = 240 * HOUR_MS;

/**
 * The consumption between two readings of one counter; zero unless the second is later. `ratedWatts` is the meter's
 * maximum (15 kW if unknown).
 */
export function counterStep(previous: CounterReading, next: CounterReading, ratedWatts = 15_000): CounterStep {
  const used = counterUse(previous, next, ratedWatts);
  return { ...used, hours: used.kwh === 0 ? [] : spread(previous.at, next.at, used.kwh) };
}

/** {@link counterStep} without its hours. */
export function counterUse(
  previous: CounterReading,
  next: CounterReading,
  ratedWatts: number,
): Omit<CounterStep, "hours"> {
  const gapMs = next.at - previous.at;
  if (!(gapMs > 0) || !Number.isFinite(next.kwh) || !Number.isFinite(previous.kwh) || next.kwh < 0)
    return { kwh: 0, reset: false, quarantined: false, estimated: false };
  const reset = next.kwh < previous.kwh;
  const known = !reset || next.kwh < previous.kwh * RESET_SHARE;
  const kwh = !known ? 0 : reset ? next.kwh : next.kwh - previous.kwh;
  const estimated = gapMs > HOUR_MS;
  const mostKwh = (ratedWatts * OVERLOAD * gapMs) / HOUR_MS / 1000;
  if (kwh > mostKwh) return { kwh: 0, reset, quarantined: true, estimated };
  return { kwh, reset, quarantined: false, estimated };
}

function spread(from: number, to: number, kwh: number): { at: number; kwh: number }[] {
  const firstHour = Math.floor(from / HOUR_MS) * HOUR_MS;
  const lastHour = Math.floor((to - 1) / HOUR_MS) * HOUR_MS;
  if (to - from > LONGEST_SPREAD_MS) return [{ at: lastHour, kwh }];
  const hours: { at: number; kwh: number }[] = [];
  for (let hour = firstHour; hour <= lastHour; hour += HOUR_MS) {
    const coveredMs = Math.min(to, hour + HOUR_MS) - Math.max(from, hour);
    hours.push({ at: hour, kwh: (kwh * coveredMs) / (to - from) });
  }
  return hours;
}
