import type { Base } from "../../core/base.ts";
import { QUARTER_MS } from "../telemetry/rules/energy.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { MeteredQuarters, QuarterEnergy } from "./rules/metered-energy.ts";

/** A range of quarter hours of one metric; times in epoch ms. */
interface Stretch {
  readonly metric: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Computed values, up to a quarter that nothing measured later changes. */
interface Kept {
  readonly past: number;
  readonly kwh: Float32Array;
  readonly estimated: boolean;
  readonly knownFrom: number;
  /** The counter's reading at the end of the last quarter. */
  readonly reading: number;
}

/** Shorter spans are read each time: that costs little. */
const DAY_MS = 86_400_000;
const SHORTEST_MS = 20 * DAY_MS;
/** Quarter hours that are read again until there are this many to keep. */
const WORTH_KEEPING = 96;
/** The most that is kept, in quarter hours of four bytes each: 16 MB. */
const MOST_QUARTERS = 4_000_000;
/** Dropped when unused for this long. */
const KEEP_MS = 600_000;

/**
 * Energy by quarter hours of long spans. A year that was computed is kept for a while, so that another look reads only
 * what came since. It is kept in memory: the tables have it all, and a card has better things to store.
 */
export class KeptQuarters {
  readonly #base: Base;
  readonly #telemetry: Telemetry;
  /** Oldest use first. */
  readonly #kept = new Map<string, Kept>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(base: Base, telemetry: Telemetry) {
    this.#base = base;
    this.#telemetry = telemetry;
  }

  /** The result of `work` for the quarter hours of a device's metric. */
  async of(
    deviceId: string,
    stretch: Stretch,
    work: (quarters: MeteredQuarters) => QuarterEnergy,
  ): Promise<QuarterEnergy> {
    const { clock } = this.#base;
    const { metric, fromMs, toMs } = stretch;
    if (toMs - fromMs < SHORTEST_MS) return work(await this.#telemetry.quarters(deviceId, stretch));
    const length = Math.round((toMs - fromMs) / QUARTER_MS);
    const key = JSON.stringify([deviceId, metric, fromMs, work.name]);
    const pastBefore = this.#telemetry.past(deviceId);
    const kept = this.#use(key, pastBefore, length);
    const done = kept?.kwh.length ?? 0;
    // Nothing has been measured of the future.
    const untilMs = Math.max(
      fromMs + done * QUARTER_MS,
      Math.min(toMs, Math.ceil((clock.now() + DAY_MS) / QUARTER_MS) * QUARTER_MS),
    );
    const read = await this.#telemetry.quarters(deviceId, {
      metric,
      fromMs: fromMs + done * QUARTER_MS,
      toMs: untilMs,
    });
    const rest = work(
      kept === null ? read : { ...read, before: { at: fromMs + (done - 1) * QUARTER_MS, max: kept.reading } },
    );
    const kwh = new Float64Array(length);
    if (kept !== null) kwh.set(kept.kwh);
    kwh.set(rest.kwh, done);
    const estimated = rest.estimated || kept?.estimated === true;
    const knownFrom = kept === null ? (rest.knownFrom === read.count.length ? length : rest.knownFrom) : kept.knownFrom;
    const upTo = rest.settled === null ? done : done + rest.settled.place + 1;
    if (
      rest.settled !== null &&
      upTo - done >= (kept === null ? 1 : WORTH_KEEPING) &&
      this.#telemetry.past(deviceId) === pastBefore
    )
      this.#keep(key, {
        past: pastBefore,
        kwh: new Float32Array(kwh.subarray(0, upTo)),
        estimated,
        knownFrom,
        reading: rest.settled.kwh,
      });
    return { kwh, estimated, knownFrom, settled: null };
  }

  /** Cached quarters that are still valid. */
  #use(key: string, past: number, length: number): Kept | null {
    const kept = this.#kept.get(key);
    if (kept === undefined) return null;
    this.#kept.delete(key);
    if (kept.past !== past || kept.kwh.length > length) return null;
    this.#kept.set(key, kept);
    this.#stayAwhile();
    return kept;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    let quarters = [...this.#kept.values()].reduce((sum, { kwh }) => sum + kwh.length, 0);
    for (const [oldest, { kwh }] of this.#kept) {
      if (quarters <= MOST_QUARTERS) break;
      this.#kept.delete(oldest);
      quarters -= kwh.length;
    }
    this.#stayAwhile();
  }

  #stayAwhile(): void {
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#drop(), KEEP_MS).unref();
  }

  #drop(): void {
    this.#timer = null;
    this.#kept.clear();
  }
}
