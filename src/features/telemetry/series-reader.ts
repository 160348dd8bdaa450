import { Slices } from "../../core/kernel/slices.ts";
import { eachBlockValue } from "./block-values.ts";
import { DevicePower, type LastPowers } from "./device-power.ts";
import { type Generation, metricValue, quartersOf } from "./generation.ts";
import { HOUR_MS, QUARTER_MS } from "./rules/energy.ts";
import {
  type HistoryBuckets,
  type HistoryPart,
  type HistoryPoint,
  HistorySums,
  historyBuckets,
} from "./rules/history-buckets.ts";
import type { WattHours } from "./rules/power-integral.ts";
import { type Sample, sampleData } from "./sample.ts";
import type { TelemetryBlockTable } from "./tables/telemetry-block.ts";
import type { QuarterValues, TelemetryHourTable } from "./tables/telemetry-hour.ts";
import type { Unreadable } from "./unreadable.ts";

/** A query for a metric's history; times in epoch ms. */
export interface SeriesQuery {
  readonly metric: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** About how many points the answer may have. */
  readonly points: number;
  /** IANA name. */
  readonly timeZone: string;
}

/** A metric's history, thinned to the requested resolution. */
export interface Series {
  /** Length of a bucket; 0: the points are the samples themselves. */
  readonly stepMs: number;
  readonly points: readonly HistoryPoint[];
}

/** The quarter hours of a span, for counting energy. */
export interface Quarters {
  /** Epoch ms of the first one. */
  readonly fromMs: number;
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly max: Float64Array;
  /** NaN where unknown. */
  readonly wattHours: Float64Array;
  /** The last quarter hour with samples before the stretch; null if there is none. */
  readonly before: { readonly at: number; readonly max: number } | null;
}

/** One device's stored samples at one moment. */
export interface Picture {
  readonly ref: number | null;
  readonly generations: readonly Generation[];
  /** Samples that are in no generation yet. */
  readonly waiting: readonly Sample[];
  readonly lastPowers: LastPowers;
  /** Increases whenever samples move from memory to the tables, or within them. */
  readonly version: number;
}

/** Most samples that are read for one answer; beyond that, the roll-ups have to do. */
const MOST_SAMPLES = 200_000;
/** Rows of roll-ups read at once. */
const HOURS_AT_ONCE = 500;
const MOST_TRIES = 4;

/**
 * Reads long spans of one metric in slices, one span at a time, with everything else served in between. Rows that move
 * from the journal to the tables meanwhile would be counted twice or not at all: then the span is read again.
 */
export class SeriesReader {
  readonly #blocks: TelemetryBlockTable;
  readonly #hours: TelemetryHourTable;
  readonly #unreadable: Pick<Unreadable, "blockSoon">;
  /** One reader after the other: side by side, each would take its slice in the same turn. */
  #line: Promise<unknown> = Promise.resolve();
  /** Shared by all spans: many short ones in a row hold the event loop as a long one does. */
  readonly #slices = new Slices();

  /** `unreadable` sets a block aside that cannot be unpacked; its samples are left out. */
  constructor(
    tables: { blocks: TelemetryBlockTable; hours: TelemetryHourTable },
    unreadable: Pick<Unreadable, "blockSoon">,
  ) {
    this.#blocks = tables.blocks;
    this.#hours = tables.hours;
    this.#unreadable = unreadable;
  }

  /** The history of one metric in [fromMs, toMs). */
  series(picture: () => Picture, query: SeriesQuery): Promise<Series> {
    return this.#inTurn(picture, (known) => this.#series(known, query));
  }

  /** The quarter hours of one metric in [fromMs, toMs), which begin and end with a quarter. */
  quarters(picture: () => Picture, query: Pick<SeriesQuery, "metric" | "fromMs" | "toMs">): Promise<Quarters> {
    return this.#inTurn(picture, (known) => this.#quarters(known, query));
  }

  #inTurn<Result>(picture: () => Picture, read: (known: Picture) => Promise<Result>): Promise<Result> {
    const answer = this.#line.then(async () => {
      for (let left = MOST_TRIES; ; left--) {
        const known = picture();
        const result = await read(known);
        if (left <= 1 || picture().version === known.version) return result;
      }
    });
    this.#line = answer.catch(() => {}); // the caller gets the error
    return answer;
  }

  async #series(known: Picture, query: SeriesQuery): Promise<Series> {
    const { fromMs, toMs, points } = query;
    const buckets = historyBuckets(query);
    const held = this.#heldSamples(known, fromMs, toMs);
    const isFine = buckets.stepMs < QUARTER_MS || held <= 2 * points;
    if (isFine && held <= MOST_SAMPLES) return this.#fromSamples(known, query, buckets);
    const coarse = buckets.stepMs < QUARTER_MS ? historyBuckets({ ...query, finestMs: QUARTER_MS }) : buckets;
    const sums = new HistorySums(coarse.edges);
    await this.#eachQuarter(known, query, (at, { count, sum, max, min }) => sums.add({ at, count, sum, max, min }));
    for (const [at, value] of valuesOf(known.waiting, query))
      sums.add({ at, count: 1, sum: value, max: value, min: value });
    return { stepMs: coarse.stepMs, points: sums.points() };
  }

  /** From single samples, and from roll-ups where the samples were already deleted. */
  async #fromSamples(known: Picture, query: SeriesQuery, { stepMs, edges }: HistoryBuckets): Promise<Series> {
    const { fromMs, toMs, metric, points } = query;
    const sums = new HistorySums(edges);
    /** The samples themselves, unless there are more than were asked for. */
    const single: HistoryPoint[] = [];
    const sampled = new Set<number>();
    const take = (at: number, value: number): void => {
      if (at < fromMs || at >= toMs) return;
      sums.add({ at, count: 1, sum: value, max: value, min: value });
      if (single.length <= points) single.push({ at, avg: value, min: value, max: value });
      sampled.add(Math.floor(at / QUARTER_MS));
    };
    const held = known.generations.flatMap(({ lists }) =>
      known.ref === null ? [] : (lists.get(known.ref)?.range(fromMs, toMs - 1) ?? []),
    );
    for (const [at, value] of [...valuesOf(held, query), ...valuesOf(known.waiting, query)]) take(at, value);
    for (const { id } of known.ref === null ? [] : this.#blocks.overlapping(known.ref, fromMs, toMs - 1)) {
      const content = this.#blocks.content(id);
      try {
        if (content !== null) eachBlockValue(content, metric, take);
      } catch {
        this.#unreadable.blockSoon(id);
      }
      if (this.#slices.isDue) await this.#slices.next();
    }
    const rolledUp: HistoryPart[] = [];
    await this.#eachQuarter(known, query, (at, { count, sum, max, min }) => {
      if (count > 0 && !sampled.has(at / QUARTER_MS)) rolledUp.push({ at, count, sum, max, min });
    });
    const within = rolledUp.filter(({ at }) => at >= fromMs && at + QUARTER_MS <= toMs);
    // A quarter hour that reaches beyond the span is imprecise; without another, it is better than nothing.
    const parts =
      single.length + within.length > 0 ? within : rolledUp.map((part) => ({ ...part, at: Math.max(part.at, fromMs) }));
    if (parts.length === 0 && single.length <= points)
      return { stepMs: 0, points: single.sort((left, right) => left.at - right.at) };
    for (const part of parts) sums.add(part);
    return { stepMs, points: sums.points() };
  }

  async #quarters(
    known: Picture,
    { metric, fromMs, toMs }: Pick<SeriesQuery, "metric" | "fromMs" | "toMs">,
  ): Promise<Quarters> {
    const length = Math.max(0, Math.round((toMs - fromMs) / QUARTER_MS));
    const [count, sum, max] = [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
    const wattHours = new Float64Array(length).fill(Number.NaN);
    const addEnergy = (place: number, energy: number): void => {
      const known = wattHours[place];
      if (known === undefined) return; // outside the span
      wattHours[place] = Number.isNaN(known) ? energy : known + energy;
    };
    await this.#eachQuarter(known, { metric, fromMs, toMs }, (at, more) => {
      const place = Math.round((at - fromMs) / QUARTER_MS);
      if (more.count > 0) {
        // A row from before the hub integrated powers has samples and no energy: nothing that comes later makes it
        // known.
        const had = count[place] as number; // one of `length`, as in the others
        max[place] = had === 0 ? more.max : Math.max(max[place] as number, more.max);
        count[place] = had + more.count;
        sum[place] = (sum[place] as number) + more.sum;
      }
      if (more.wattHours !== null) addEnergy(place, more.wattHours);
    });
    const power = await this.#powerInMemory(known, metric);
    for (const [hour, quarters] of power ?? []) {
      for (const [quarter, energy] of quarters.entries()) {
        const place = Math.round((hour * HOUR_MS + quarter * QUARTER_MS - fromMs) / QUARTER_MS);
        if (!Number.isNaN(energy)) addEnergy(place, energy);
      }
    }
    return { fromMs, count, sum, max, wattHours, before: this.#before(known, metric, fromMs) };
  }

  /** The energy of a power's samples in the journal. */
  async #powerInMemory(known: Picture, metric: string): Promise<WattHours | null> {
    const { ref, generations, lastPowers } = known;
    if (ref === null) return null;
    const power = new DevicePower(lastPowers);
    for (const generation of generations) {
      const samples = generation.lists.get(ref)?.samples ?? [];
      for (let from = 0; from < samples.length; from += HOURS_AT_ONCE) {
        power.add(samples.slice(from, from + HOURS_AT_ONCE));
        await this.#slices.next();
      }
    }
    return power.wattHours.get(metric) ?? null;
  }

  #before(known: Picture, metric: string, fromMs: number): Quarters["before"] {
    if (known.ref === null) return null;
    const row = this.#hours.latestBefore(known.ref, metric, Math.ceil(fromMs / HOUR_MS));
    let latest: { at: number; max: number } | null = null;
    if (row === null) return null;
    for (const [quarter, { count, max }] of row.quarters.entries()) {
      const at = row.hour * HOUR_MS + quarter * QUARTER_MS;
      if (at < fromMs && count > 0) latest = { at, max };
    }
    return latest;
  }

  /** Every quarter hour that reaches into [fromMs, toMs), including empty ones, those in the tables first. */
  async #eachQuarter(
    { ref, generations }: Picture,
    { metric, fromMs, toMs }: Pick<SeriesQuery, "metric" | "fromMs" | "toMs">,
    take: (at: number, values: QuarterValues) => void,
  ): Promise<void> {
    if (ref === null) return;
    const takeHour = (hour: number, quarters: readonly QuarterValues[]): void => {
      let at = hour * HOUR_MS;
      for (const values of quarters) {
        if (at + QUARTER_MS > fromMs && at < toMs) take(at, values);
        at += QUARTER_MS;
      }
    };
    const [first, last] = [Math.floor(fromMs / HOUR_MS), Math.floor(toMs / HOUR_MS)];
    for (let from = first; from <= last; from += HOURS_AT_ONCE) {
      const rows = this.#hours.rowsBetween(ref, metric, from, Math.min(last, from + HOURS_AT_ONCE - 1));
      for (const { hour, quarters } of rows) takeHour(hour, quarters);
      await this.#slices.next();
    }
    // a device that dates its samples at random has as many hours in memory as samples
    for (const { rollups } of generations)
      for (const [hour, rollup] of rollups.get(ref)?.get(metric) ?? [])
        if (hour >= first && hour <= last) takeHour(hour, quartersOf(rollup));
  }

  /** An upper bound on the samples in the window, from the index alone. */
  #heldSamples({ ref, generations }: Picture, fromMs: number, toMs: number): number {
    if (ref === null) return 0;
    let held = 0;
    for (const span of this.#blocks.overlapping(ref, fromMs, toMs - 1)) held += span.count;
    for (const { lists } of generations) held += lists.get(ref)?.range(fromMs, toMs - 1).length ?? 0;
    return held;
  }
}

function* valuesOf(samples: readonly Sample[], { metric, fromMs, toMs }: SeriesQuery): Generator<[number, number]> {
  for (const sample of samples) {
    if (sample.at < fromMs || sample.at >= toMs) continue;
    const value = metricValue(sampleData(sample), metric);
    if (value !== null) yield [sample.at, value];
  }
}
