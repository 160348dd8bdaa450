import type { JsonObject } from "../../core/kernel/json-object.ts";
import { HOUR_MS, QUARTER_MS } from "./rules/energy.ts";
import { isPower } from "./rules/power-integral.ts";
import { type Sample, SampleList, sampleData } from "./sample.ts";
import type { QuarterValues } from "./tables/telemetry-hour.ts";

/** Names that may be requested as an energy metric; only these are rolled up. */
const METRIC = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;
/** Most metrics of one device that are rolled up: one that invents names cannot fill the disk with them. */
export const METRICS_PER_DEVICE = 64;
/** Larger values are not measurements, and their sums would overflow. */
const LARGEST_VALUE = 1e290;

/** Count, sum, max, min. */
export const ROLLUP_COLUMNS = 4;

/** Roll-ups of one device: metric → hour since the epoch → [count, sum, max, min] of its four quarters. */
export type Rollups = Map<string, Map<number, Float64Array>>;

/** The values of one power, in order of arrival. */
export interface PowerPoints {
  readonly times: number[];
  readonly watts: number[];
}

/**
 * The journal's samples in memory, with their roll-ups, from one compaction to the next. The compaction freezes one
 * generation while the next one fills.
 */
export class Generation {
  readonly lists = new Map<number, SampleList>();
  readonly rollups = new Map<number, Rollups>();
  /** By device and metric. */
  readonly powers = new Map<number, Map<string, PowerPoints>>();
  /** Newest journal row whose samples are here. */
  lastRow = 0;
  count = 0;
  /** Characters of sample text held. */
  chars = 0;

  /** Adds a stored sample, of which only time and text are kept; `data`, if given, saves parsing it. */
  add(ref: number, sample: Sample, data: JsonObject = sampleData(sample)): void {
    let list = this.lists.get(ref);
    if (list === undefined) {
      list = new SampleList();
      this.lists.set(ref, list);
    }
    list.insert(sample.at, sample.text);
    this.count += 1;
    this.chars += sample.text.length;
    let rollups = this.rollups.get(ref);
    let powers = this.powers.get(ref);
    if (rollups === undefined || powers === undefined) {
      rollups = new Map();
      powers = new Map();
      this.rollups.set(ref, rollups);
      this.powers.set(ref, powers);
    }
    addToRollups(rollups, powers, sample.at, data);
  }

  /** Takes over all samples of an older generation whose compaction failed. */
  absorb(older: Generation): void {
    for (const [ref, list] of older.lists) for (const sample of list.samples) this.add(ref, sample);
    this.lastRow = Math.max(this.lastRow, older.lastRow);
  }

  forget(ref: number): void {
    const list = this.lists.get(ref);
    if (list === undefined) return;
    this.count -= list.length;
    this.chars -= list.chars;
    this.lists.delete(ref);
    this.rollups.delete(ref);
    this.powers.delete(ref);
  }
}

/** Adds the numbers of one sample to a device's roll-ups, and its powers to the arriving ones. */
function addToRollups(rollups: Rollups, powers: Map<string, PowerPoints>, at: number, data: JsonObject): void {
  const hour = Math.floor(at / HOUR_MS);
  const slot = Math.floor((at % HOUR_MS) / QUARTER_MS) * ROLLUP_COLUMNS;
  // plain JSON: all properties are its own
  for (const metric in data) {
    const value = metricValue(data, metric);
    if (value === null) continue;
    let hours = rollups.get(metric);
    if (hours === undefined) {
      if (rollups.size >= METRICS_PER_DEVICE || !METRIC.test(metric)) continue;
      hours = new Map();
      rollups.set(metric, hours);
      if (isPower(metric)) powers.set(metric, { times: [], watts: [] });
    }
    const power = powers.size === 0 ? undefined : powers.get(metric);
    if (power !== undefined) {
      power.times.push(at);
      power.watts.push(value);
    }
    let quarters = hours.get(hour);
    if (quarters === undefined) {
      quarters = new Float64Array(4 * ROLLUP_COLUMNS);
      hours.set(hour, quarters);
    }
    const count = quarters[slot] as number; // a quarter has all four of its columns
    if (count === 0 || value < (quarters[slot + 3] as number)) quarters[slot + 3] = value;
    if (count === 0 || value > (quarters[slot + 2] as number)) quarters[slot + 2] = value;
    quarters[slot + 1] = (quarters[slot + 1] as number) + value;
    quarters[slot] = count + 1;
  }
}

/** The four quarters of an hour, without energy, which is computed elsewhere. */
export function quartersOf(rollup: Float64Array): QuarterValues[] {
  return [0, 1, 2, 3].map((quarter) => {
    const at = quarter * ROLLUP_COLUMNS; // a quarter has all four of its columns
    const [count, sum] = [rollup[at] as number, rollup[at + 1] as number];
    return { count, sum, max: rollup[at + 2] as number, min: rollup[at + 3] as number, wattHours: null };
  });
}

/** The finite number under `metric`, or null. */
export function metricValue(data: JsonObject, metric: string): number | null {
  const value = Object.hasOwn(data, metric) ? data[metric] : undefined;
  return typeof value === "number" && Math.abs(value) <= LARGEST_VALUE ? value : null;
}
