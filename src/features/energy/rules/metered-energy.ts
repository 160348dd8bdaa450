/**
 * Energy of one device in each quarter hour of a time range: by its own counter, or by the integral of its power. Pure.
 */
import { counterUse, QUARTER_MS } from "../../telemetry/rules/energy.ts";

/** The roll-ups of one metric, a value for each quarter hour. */
export interface MeteredQuarters {
  readonly fromMs: number;
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly max: Float64Array;
  /** NaN where unknown. */
  readonly wattHours: Float64Array;
  /** The last quarter with samples before the range. */
  readonly before: { readonly at: number; readonly max: number } | null;
}

/** kWh of each quarter hour; `estimated`: some of it was spread over a gap, or derived from averages. */
export interface QuarterEnergy {
  readonly kwh: Float64Array;
  readonly estimated: boolean;
  /** First quarter whose energy the counter knows; the number of quarters if there is none. */
  readonly knownFrom: number;
  /**
   * Where the computation can be resumed: nothing measured later changes a quarter up to this one. Null if there is
   * none.
   */
  readonly settled: Reading | null;
}

/** No house draws more than this, in watts: a larger leap of a counter is not consumption. */
const MOST_WATTS = 100_000;
/** A counter that goes back by less was rounded, not reset. */
const ROUNDING_KWH = 0.1;
const QUARTERS_PER_HOUR = 4;

/** A counter's reading at the end of a quarter hour; for a power only the position counts. */
interface Reading {
  /** The index of the quarter hour that it ends. */
  readonly place: number;
  readonly kwh: number;
}

/**
 * By a counter in kWh: the differences of its readings. Each counts at the end of its quarter hour, which is late by no
 * more than the time between two samples.
 */
export function countedEnergy({ fromMs, count, max, before }: MeteredQuarters): QuarterEnergy {
  const kwh = new Float64Array(count.length);
  let estimated = false;
  let last: Reading | null =
    before === null ? null : { place: Math.round((before.at - fromMs) / QUARTER_MS), kwh: before.max };
  /** A leap that no house can draw: a wild value, or a counter set to another total. The next reading decides which. */
  let suspect: Reading | null = null;
  let knownFrom = last === null ? count.length : 0;
  let settled: Reading | null = null;
  let isPlain = false;
  for (let place = 0; place < count.length; place++) {
    if (!count[place]) continue;
    const reading: Reading = { place, kwh: max[place] ?? 0 };
    if (isPlain && suspect === null) settled = last; // a later quarter has begun
    if (last === null) {
      knownFrom = place + 1;
      last = reading;
      isPlain = true;
      continue;
    }
    let from: Reading = last;
    if (suspect !== null && reading.kwh >= suspect.kwh) from = suspect;
    const used = usedBetween(from, reading);
    if (used === null) {
      suspect = reading;
      continue;
    }
    suspect = null;
    const length = place - from.place;
    for (let quarter = Math.max(0, from.place + 1); quarter <= place; quarter++)
      kwh[quarter] = (kwh[quarter] ?? 0) + used / length;
    estimated ||= used > 0 && length > QUARTERS_PER_HOUR;
    isPlain = !isRounded(from, reading);
    last = isPlain ? reading : { place, kwh: from.kwh };
  }
  return { kwh, estimated, knownFrom, settled };
}

/** kWh between two readings; null if no house can have drawn it. */
function usedBetween(from: Reading, to: Reading): number | null {
  if (isRounded(from, to)) return 0;
  const at = ({ place }: Reading): number => (place + 1) * QUARTER_MS;
  const step = counterUse({ at: at(from), kwh: from.kwh }, { at: at(to), kwh: to.kwh }, MOST_WATTS);
  return step.quarantined ? null : step.kwh;
}

/** Whether it went back by less than a reset would. */
function isRounded(from: Reading, to: Reading): boolean {
  return to.kwh < from.kwh && from.kwh - to.kwh < ROUNDING_KWH && to.kwh > ROUNDING_KWH;
}

/**
 * By a power in watts, which may be negative: its integral or, for roll-ups from before that was kept, the mean of the
 * quarter hour.
 */
export function integratedEnergy({ count, sum, wattHours }: MeteredQuarters): QuarterEnergy {
  let estimated = false;
  const kwh = wattHours.map((known, place) => {
    if (!Number.isNaN(known)) return known / 1000;
    const samples = count[place] ?? 0;
    if (samples < 2) return 0; // one sample is a moment, not a duration
    estimated = true;
    return (sum[place] ?? 0) / samples / QUARTERS_PER_HOUR / 1000;
  });
  const place = count.findLastIndex((samples) => samples > 0) - 1;
  return { kwh, estimated, knownFrom: 0, settled: place < 0 ? null : { place, kwh: 0 } };
}

/** The metrics of a device that give the energy through its meter. Several are added: its channels, or its phases. */
export interface EnergyMetrics {
  readonly imported: readonly string[];
  readonly exported: readonly string[];
  readonly powers: readonly string[];
}

/** A device's energy metrics, by the names that the protocol and the firmware bridges use. */
export function energyMetrics(metrics: readonly string[]): EnergyMetrics {
  const of = (...forms: readonly RegExp[]): readonly string[] =>
    forms.map((form) => metrics.filter((name) => form.test(name))).find((found) => found.length > 0) ?? [];
  return {
    imported: of(/^kwhImported\d{0,2}$/, /^kwh\d{0,2}$/, /^kwh[A-C]$/),
    exported: of(/^kwhExported\d{0,2}$/, /^kwhExported[A-C]$/),
    powers: of(/^watts\d{0,2}$/, /^watts[A-C]$/, /^power_w\d{0,2}$/),
  };
}
