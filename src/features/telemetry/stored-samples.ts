import { unpackTimes } from "./block-format.ts";
import { type Sample, SampleList } from "./sample.ts";
import type { TelemetryBlockTable } from "./tables/telemetry-block.ts";

/** What {@link StoredSamples} looks through. */
export interface StoredSources {
  /** Samples that are not in blocks yet: those in the journal, and those being compacted. */
  readonly live: SampleList | undefined;
  readonly frozen: SampleList | undefined;
  /** Newest time in the blocks; undefined without blocks. */
  readonly newest: number | undefined;
  readonly blocks: Pick<TelemetryBlockTable, "endingWithin" | "times">;
  readonly history: { samplesOf(blockId: number): readonly Sample[] };
}

interface Span {
  readonly id: number;
  readonly fromAt: number;
  readonly toAt: number;
}

/** Most blocks looked into for one moment: a device that dates at random makes very many. */
const MOST_AT_A_TIME = 64;
/** Most blocks unpacked within one write job, at half a millisecond each. */
const MOST_UNPACKED = 64;
/** Most blocks remembered within one write job: those that end last. */
const MOST_SPANS = 8_192;
/** How far back the spans are read for the first sample; twice as far with each further step. */
const FIRST_STEP_MS = 86_400_000;
const NONE: readonly never[] = [];

/**
 * Whether single samples of one device are stored already, for many samples of one write job, in which no block
 * changes. Samples that a device dates itself may have any time: each block's span and times are read once, and the
 * work is bounded. Beyond the bounds a sample counts as new.
 */
export class StoredSamples {
  readonly #device: number;
  readonly #sources: StoredSources;
  // Most are asked only for samples newer than all: they need no index.
  /** Blocks that end at or after `#from`, by their end. */
  #spans: readonly Span[] = NONE;
  /** The earliest beginning among `#spans[n]` and those after it. */
  #earliest: readonly number[] = NONE;
  #from = Number.MAX_SAFE_INTEGER;
  #step = FIRST_STEP_MS;
  #times: Map<number, readonly number[]> | null = null;
  #unpacked: Map<number, SampleList> | null = null;

  constructor(device: number, sources: StoredSources) {
    this.#device = device;
    this.#sources = sources;
  }

  /** Whether a sample with this time and equal data is stored. */
  has(at: number, text: string): boolean {
    const { live, frozen, newest } = this.#sources;
    if (live?.has(at, text) || frozen?.has(at, text)) return true;
    return newest !== undefined && at <= newest && this.#inBlocks(at, text);
  }

  #inBlocks(at: number, text: string): boolean {
    if (at < this.#from) this.#readBack(at);
    let looked = 0;
    for (let n = this.#firstEnding(at); n < this.#spans.length; n++) {
      const span = this.#spans[n] as Span; // there is one, as there is in `#earliest`
      if ((this.#earliest[n] as number) > at) break;
      if (span.fromAt > at) continue;
      if (this.#hasTime(span.id, at) && this.#hasData(span.id, at, text)) return true;
      looked += 1;
      if (looked === MOST_AT_A_TIME) break;
    }
    return false;
  }

  #readBack(at: number): void {
    const from = at - this.#step;
    this.#step *= 2;
    const room = MOST_SPANS - this.#spans.length;
    if (room > 0)
      this.#spans = [...this.#sources.blocks.endingWithin(this.#device, from, this.#from - 1, room), ...this.#spans];
    this.#from = from;
    let earliest = Number.MAX_SAFE_INTEGER;
    const before: number[] = [];
    for (const { fromAt } of this.#spans.toReversed()) {
      earliest = Math.min(earliest, fromAt);
      before.push(earliest);
    }
    this.#earliest = before.reverse();
  }

  /** Index of the first span that ends at or after `at`. */
  #firstEnding(at: number): number {
    let low = 0;
    let high = this.#spans.length;
    while (low < high) {
      const middle = (low + high) >> 1; // below `high`: there is one
      if ((this.#spans[middle] as Span).toAt < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #hasTime(blockId: number, at: number): boolean {
    this.#times ??= new Map();
    let times = this.#times.get(blockId);
    if (times === undefined) {
      const packed = this.#sources.blocks.times(blockId);
      times = packed === null ? [] : unpackTimes(packed);
      this.#times.set(blockId, times);
    }
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1; // below `high`: there is one
      if ((times[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return times[low] === at;
  }

  #hasData(blockId: number, at: number, text: string): boolean {
    this.#unpacked ??= new Map();
    let list = this.#unpacked.get(blockId);
    if (list === undefined) {
      if (this.#unpacked.size >= MOST_UNPACKED) return false;
      list = new SampleList();
      for (const sample of this.#sources.history.samplesOf(blockId)) list.insert(sample.at, sample.text);
      this.#unpacked.set(blockId, list);
    }
    return list.has(at, text);
  }
}
