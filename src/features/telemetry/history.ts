import type { JsonObject } from "../../core/kernel/json-object.ts";
import { unpackBlock } from "./block-format.ts";
import { type Generation, metricValue, quartersOf } from "./generation.ts";
import { type Energy, type EnergyPart, energySeries, energyWindow, HOUR_MS, QUARTER_MS } from "./rules/energy.ts";
import { type Sample, sampleData } from "./sample.ts";
import type { TelemetryBlockTable } from "./tables/telemetry-block.ts";
import type { QuarterValues, TelemetryHourTable } from "./tables/telemetry-hour.ts";
import type { Unreadable } from "./unreadable.ts";

/** Where reading continues: `skip` samples of time `at` have been returned already, and all later ones. */
interface TelemetryCursor {
  readonly at: number;
  readonly skip: number;
}

/** A sample in a response; `at` in epoch ms. */
export interface TelemetrySample {
  readonly at: number;
  readonly data: JsonObject;
}

/** A query for a device's samples. */
export interface RecentQuery {
  /** Most samples to give. */
  readonly limit: number;
  /** Only samples at or after this time (epoch ms). */
  readonly sinceMs?: number | undefined;
  /** Only samples before this one in the order of the answer. */
  readonly before?: TelemetryCursor | undefined;
}

/** A query for a device's samples from the oldest on; times in epoch ms. */
export interface ForwardQuery {
  readonly afterMs: number;
  readonly toMs: number;
  /** Approximately this many. */
  readonly limit: number;
}

/** A query for a device's energy. `timeZone` is the site's IANA name, `now` epoch ms. */
export interface EnergyQuery {
  readonly hours: number;
  readonly metric: string;
  readonly timeZone: string;
  readonly now: number;
}

/** Blocks kept unpacked, because the same ones are asked for again and again. */
const CACHED_BLOCKS = 32;

/**
 * Reads the samples of one device from all places they can be: blocks on disk and the journal's generations in memory.
 */
export class History {
  readonly #blocks: TelemetryBlockTable;
  readonly #hours: TelemetryHourTable;
  readonly #unpacked = new Map<number, Sample[]>();
  readonly #unreadable: Pick<Unreadable, "blockSoon">;

  /** `unreadable` sets a block aside that cannot be unpacked; its samples are left out. */
  constructor(
    tables: { blocks: TelemetryBlockTable; hours: TelemetryHourTable },
    unreadable: Pick<Unreadable, "blockSoon">,
  ) {
    this.#blocks = tables.blocks;
    this.#hours = tables.hours;
    this.#unreadable = unreadable;
  }

  /**
   * Newest first; among those with the same time, the latest arrival first. `extra` are samples that are in no
   * generation yet, in order of arrival.
   */
  recent(
    ref: number | null,
    generations: readonly Generation[],
    query: RecentQuery,
    extra: readonly Sample[],
  ): TelemetrySample[] {
    const since = query.sinceMs ?? Number.NEGATIVE_INFINITY;
    const until = query.before?.at ?? Number.MAX_SAFE_INTEGER;
    const skip = query.before?.skip ?? 0;
    const needed = query.limit + skip;
    const later = generations.flatMap((generation) =>
      ref === null ? [] : (generation.lists.get(ref)?.range(since, until) ?? []),
    );
    for (const sample of extra) if (sample.at >= since && sample.at <= until) later.push(sample);
    const found = [...(ref === null ? [] : this.#blocksBack(ref, { since, until, needed, later })), ...later];
    found.sort((left, right) => left.at - right.at); // stable: samples with the same time stay in order of arrival
    found.reverse();
    let toSkip = skip;
    const kept = found.filter((sample) => !(sample.at === until && toSkip > 0 && toSkip-- > 0));
    return kept.slice(0, query.limit).map((sample) => ({ at: sample.at, data: sampleData(sample) }));
  }

  /** All samples in [fromMs, toMs], in no particular order. */
  range(ref: number, generations: readonly Generation[], fromMs: number, toMs: number): Sample[] {
    const stored = this.#blocks
      .overlapping(ref, fromMs, toMs)
      .flatMap((span) => this.#block(span.id).filter((sample) => sample.at >= fromMs && sample.at <= toMs));
    return [...stored, ...generations.flatMap((generation) => generation.lists.get(ref)?.range(fromMs, toMs) ?? [])];
  }

  /**
   * The samples later than `afterMs` and up to `toMs`, oldest first; those with the same time in order of arrival.
   * About `limit` of them, and never some of one time without the others: a reader that continues after the last one's
   * time misses none.
   */
  oldestFirst(ref: number | null, generations: readonly Generation[], query: ForwardQuery): TelemetrySample[] {
    if (ref === null) return [];
    const { afterMs, toMs, limit } = query;
    let until = toMs;
    let held = 0;
    for (const span of this.#blocks.spansForward(ref, afterMs + 1, toMs)) {
      held += span.count;
      if (held < limit) continue;
      until = Math.min(toMs, span.toAt);
      break;
    }
    const stored = this.#blocks.overlapping(ref, afterMs + 1, until).flatMap(({ id }) => this.samplesOf(id));
    const fresh = generations.flatMap(({ lists }) => lists.get(ref)?.range(afterMs + 1, until) ?? []);
    const found = [...stored.filter(({ at }) => at > afterMs && at <= until), ...fresh];
    found.sort((left, right) => left.at - right.at); // stable: samples with the same time stay in order of arrival
    let end = Math.min(limit, found.length);
    while (end > 0 && found[end]?.at === found[end - 1]?.at) end += 1;
    return found.slice(0, end).map((sample) => ({ at: sample.at, data: sampleData(sample) }));
  }

  /**
   * Energy of one metric (docs/spec/domain.md §4.3). Reads one roll-up row per hour of the window, and the single
   * samples of the quarter hour in which the window begins.
   */
  energy(ref: number | null, generations: readonly Generation[], query: EnergyQuery, extra: readonly Sample[]): Energy {
    const window = energyWindow(query.hours, query.now, query.timeZone);
    const firstQuarter = Math.ceil(window.from / QUARTER_MS) * QUARTER_MS;
    const parts: EnergyPart[] = [];
    const single = (sample: Sample): void => {
      const value = metricValue(sampleData(sample), query.metric);
      if (value !== null) parts.push({ at: sample.at, count: 1, sum: value, max: value });
    };
    for (const sample of extra) if (sample.at >= window.from) single(sample);
    if (ref === null) return energySeries(parts, window);
    for (const sample of this.range(ref, generations, window.from, firstQuarter - 1)) single(sample);
    const hours = [Math.floor(firstQuarter / HOUR_MS), Math.floor(query.now / HOUR_MS)] as const;
    const pick = (hour: number, quarters: readonly QuarterValues[]): void => {
      let at = hour * HOUR_MS;
      for (const { count, sum, max } of quarters) {
        if (count > 0 && at >= firstQuarter) parts.push({ at, count, sum, max });
        at += QUARTER_MS;
      }
    };
    for (const { hour, quarters } of this.#hours.rowsBetween(ref, query.metric, hours[0], hours[1]))
      pick(hour, quarters);
    for (const generation of generations) {
      for (const [hour, rollup] of generation.rollups.get(ref)?.get(query.metric) ?? [])
        if (hour <= hours[1]) pick(hour, quartersOf(rollup));
    }
    return energySeries(parts, window);
  }

  /** Forgets an unpacked block that has been replaced or removed. */
  dropBlock(id: number): void {
    this.#unpacked.delete(id);
  }

  /** Forgets all unpacked blocks. */
  dropAllBlocks(): void {
    this.#unpacked.clear();
  }

  /** The samples of blocks that can be among the `needed` newest, the block written first coming first. */
  #blocksBack(
    ref: number,
    wanted: { since: number; until: number; needed: number; later: readonly Sample[] },
  ): Sample[] {
    const found: { id: number; samples: Sample[] }[] = [];
    const times = wanted.later.map((sample) => sample.at);
    for (const span of this.#blocks.spansBack(ref, wanted.since, wanted.until)) {
      if (times.length >= wanted.needed && times.filter((at) => at > span.toAt).length >= wanted.needed) break;
      const samples = this.#block(span.id).filter((sample) => sample.at >= wanted.since && sample.at <= wanted.until);
      for (const sample of samples) times.push(sample.at);
      found.push({ id: span.id, samples });
    }
    return found.sort((left, right) => left.id - right.id).flatMap((block) => block.samples);
  }

  /** The samples of a block that is read once: the cache is reserved for repeated requests. */
  samplesOf(id: number): Sample[] {
    const known = this.#unpacked.get(id);
    if (known !== undefined) return known;
    const content = this.#blocks.content(id);
    return content === null ? [] : this.#samplesOf(id, content);
  }

  #block(id: number): Sample[] {
    const known = this.#unpacked.get(id);
    if (known !== undefined) return known;
    const content = this.#blocks.content(id);
    const samples = content === null ? [] : this.#samplesOf(id, content);
    this.#unpacked.set(id, samples);
    if (this.#unpacked.size > CACHED_BLOCKS) {
      const oldest = this.#unpacked.keys().next();
      if (!oldest.done) this.#unpacked.delete(oldest.value);
    }
    return samples;
  }

  #samplesOf(id: number, content: { times: Buffer; samples: Buffer }): Sample[] {
    try {
      return unpackBlock(content);
    } catch {
      this.#unreadable.blockSoon(id);
      return [];
    }
  }
}
