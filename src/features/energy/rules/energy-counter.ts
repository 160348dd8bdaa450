/**
 * Turns the running total that a device counts into one that never decreases, in spite of resets, gaps and wild values.
 * Pure; the arithmetic of one step is {@link counterStep}.
 */
import { type CounterReading, counterStep, HOUR_MS } from "../../telemetry/rules/energy.ts";

/** The state of one counter. */
export interface Meter {
  /** Last believed reading, Wh as the device counts. */
  readonly raw: number;
  /** Its time, epoch ms. */
  readonly at: number;
  /** The device's own mark of its last reset; null where it has none. */
  readonly epoch: string | null;
  /** Wh, never less than before; starts with the first reading. */
  readonly total: number;
  /** Some of the total was counted over a gap or a reset. */
  readonly estimated: boolean;
  /** A reading too large to be true: believed only when the next one continues from it. */
  readonly suspect: { readonly raw: number; readonly at: number } | null;
}

/** A counter's reading. */
export interface MeterReading {
  readonly wattHours: number;
  readonly at: number;
  readonly epoch: string | null;
}

/** The effect of a reading. */
export interface MeterStep {
  readonly meter: Meter;
  /**
   * kWh totals at the ends of the hours between the readings, if they are more than an hour apart; without the newest.
   */
  readonly between: readonly CounterReading[];
  /** Whether the reading was kept out of the total. */
  readonly quarantined: boolean;
}

/** Takes a reading. `meter` null: the counter's first. `ratedWatts`: the most that the meter can carry. */
export function readMeter(meter: Meter | null, reading: MeterReading, ratedWatts = 15_000): MeterStep {
  const { wattHours, at, epoch } = reading;
  if (meter === null) return plain({ raw: wattHours, at, epoch, total: wattHours, estimated: false, suspect: null });
  if (!(at > meter.at) || !Number.isFinite(wattHours) || wattHours < 0) return plain(meter);
  const isReset = epoch !== null && meter.epoch !== null && epoch !== meter.epoch;
  const before = { at: meter.at, kwh: isReset ? 0 : meter.raw / 1000 };
  const step = counterStep(before, { at, kwh: wattHours / 1000 }, ratedWatts);
  if (step.quarantined) return doubted(meter, reading, ratedWatts);
  const total = meter.total + step.kwh * 1000;
  const estimated = meter.estimated || step.reset || isReset || (step.estimated && step.kwh > 0);
  const next: Meter = { raw: wattHours, at, epoch: epoch ?? meter.epoch, total, estimated, suspect: null };
  return { meter: next, between: between(meter, step.hours, at), quarantined: false };
}

/** A jump that no load explains: a wild value, or a counter set to another total. The next reading decides which. */
function doubted(meter: Meter, { wattHours, at, epoch }: MeterReading, ratedWatts: number): MeterStep {
  const { suspect } = meter;
  const goesOn = suspect !== null && wattHours >= suspect.raw;
  const step = goesOn
    ? counterStep({ at: suspect.at, kwh: suspect.raw / 1000 }, { at, kwh: wattHours / 1000 }, ratedWatts)
    : null;
  if (step === null || step.quarantined)
    return { meter: { ...meter, suspect: { raw: wattHours, at } }, between: [], quarantined: true };
  const total = meter.total + step.kwh * 1000;
  return {
    meter: { raw: wattHours, at, epoch: epoch ?? meter.epoch, total, estimated: true, suspect: null },
    between: [],
    quarantined: true,
  };
}

function between(
  meter: Meter,
  hours: readonly { readonly at: number; readonly kwh: number }[],
  at: number,
): CounterReading[] {
  const points: CounterReading[] = [];
  let kwh = meter.total / 1000;
  for (const hour of hours) {
    kwh += hour.kwh;
    const end = hour.at + HOUR_MS;
    if (end < at) points.push({ at: end, kwh });
  }
  return at - meter.at > HOUR_MS ? points : [];
}

function plain(meter: Meter): MeterStep {
  return { meter, between: [], quarantined: false };
}
