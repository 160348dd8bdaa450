/**
 * Energy from samples of a power: the integral over time, quarter hour by quarter hour. Two samples are joined by a
 * straight line; a gap longer than {@link LONGEST_GAP_MS} contributes nothing. Pure.
 */
import { HOUR_MS, QUARTER_MS } from "./energy.ts";

/** The longest time between two samples over which a power is assumed to continue, milliseconds. */
export const LONGEST_GAP_MS = 1_800_000;

/** `watts`, for further channels `watts2`, for phases `wattsA`; some makes use `power_w`. */
const POWER = /^(?:watts|power_w)(?:\d{1,2}|[A-Z])?$/;

/** Whether the metric is a power in watts. */
export function isPower(metric: string): boolean {
  return POWER.test(metric);
}

/** One sample of a power; `at` in epoch ms. */
export interface PowerSample {
  readonly at: number;
  readonly watts: number;
}

/** Watt-hours by hour since the epoch, four quarters each; NaN where unknown. */
export type WattHours = Map<number, Float64Array>;

/** Adds the energy between two samples; none if they are too far apart, or `next` is not the later one. */
export function addEnergy(into: WattHours, previous: PowerSample, next: PowerSample): void {
  const span = next.at - previous.at;
  if (!(span > 0) || span > LONGEST_GAP_MS) return;
  const rise = next.watts - previous.watts;
  for (let from = previous.at; from < next.at; ) {
    const to = Math.min(next.at, (Math.floor(from / QUARTER_MS) + 1) * QUARTER_MS);
    const atFrom = previous.watts + (rise * (from - previous.at)) / span;
    const atTo = previous.watts + (rise * (to - previous.at)) / span;
    addTo(into, from, (((atFrom + atTo) / 2) * (to - from)) / HOUR_MS);
    from = to;
  }
}

function addTo(into: WattHours, at: number, wattHours: number): void {
  const hour = Math.floor(at / HOUR_MS);
  let quarters = into.get(hour);
  if (quarters === undefined) {
    quarters = new Float64Array(4).fill(Number.NaN);
    into.set(hour, quarters);
  }
  const quarter = Math.floor((at - hour * HOUR_MS) / QUARTER_MS);
  const known = quarters[quarter] ?? Number.NaN;
  quarters[quarter] = Number.isNaN(known) ? wattHours : known + wattHours;
}
