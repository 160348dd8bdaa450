/**
 * Owns the samples that devices send: takes them in, stores them, serves them.
 *
 * In: messages of parsed samples. Out: samples newest first, energy series, webhook reports and the fact
 * `device.telemetry`. A QoS 1 message is on disk once its `ingest` resolves. Designed for flash: all messages that come
 * within one group commit become one packed journal row; when the journal is large or old, it is compacted into blocks
 * of one device's samples and hourly roll-ups. Memory mirrors the journal, so the journal needs no index and is read
 * only at the start. Must never know how messages arrive, who asks, or what the numbers mean to an automation.
 */
import type { Base } from "../../core/base.ts";
import type { AgedHistory } from "../../core/kernel/aged-history.ts";
import type { Timer } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import { type Arrival, arrive, type NewSample, type Receipt } from "./arrival.ts";
import type { MovedSpan } from "./compaction.ts";
import type { EnergyQuery, ForwardQuery, RecentQuery, TelemetrySample } from "./history.ts";
import type { Energy } from "./rules/energy.ts";
import type { Quarters, Series, SeriesQuery } from "./series-reader.ts";
import { Store } from "./store.ts";
import { telemetryTables } from "./tables.ts";

/** A message that is being stored. */
export interface StoredMessage {
  readonly deviceId: string;
  readonly samples: readonly { readonly at: number }[];
}

/** Most samples in one message. */
const SAMPLES_PER_MESSAGE = 1_000;
/** Messages that may wait for one commit. */
const MOST_PENDING = 20_000;
/** QoS 0 messages that may wait; beyond that they are written at once. */
const MOST_LAZY = 1_000;
const JOURNAL_CHARS = 4_000_000;
/** What suits a flash card; tests take others. */
const PACE = {
  /** Samples in the journal that start a compaction. */
  journalSamples: 20_000,
  /**
   * Age of the journal that starts one, ms. Each series has its own page of roll-ups, so that fifty meters cost three
   * hundred pages however little is moved: doing it every half hour accounted for a third of a day's writes.
   */
  journalAgeMs: 7_200_000,
  /** Longest that QoS 0 samples wait in memory. */
  lazyMs: 5_000,
  /** Under load, least time between two journal rows. */
  groupMs: 30,
};
/** A group this large is a sign of load. */
const LOADED_FROM = 8;
/** A group this large is worth its pages: it does not wait for others. */
const LARGE_GROUP = 256;
/** The result for every QoS 0 message; one promise for all. */
const STORED_LATER = Promise.resolve();
const AGE_CHECK_MS = 60_000;
/** Samples younger than this are never given up for room. */
const KEPT_MS = 86_400_000;

/** Telemetry of all devices. */
export class Telemetry implements Service {
  readonly name = "telemetry";
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #outbox: Outbox;
  readonly #pace: typeof PACE;
  #store: Store | null = null;
  #pending: Arrival[] = [];
  #lazy: Arrival[] = [];
  #group: Promise<void> | null = null;
  /** Ends the current group's wait for more. */
  #goAtOnce: (() => void) | null = null;
  #lazyTimer: Timer | null = null;
  #timers: Timer[] = [];
  #lastGroup = { mono: Number.NEGATIVE_INFINITY, size: 0 };
  #received = 0;
  #refused = 0;
  #onStored: ((messages: readonly StoredMessage[]) => void) | null = null;

  constructor(
    base: Base,
    { registry, outbox }: { readonly registry: DeviceRegistry; readonly outbox: Outbox },
    pace: Partial<typeof PACE> = {},
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#outbox = outbox;
    this.#pace = { ...PACE, ...pace };
  }

  /**
   * Calls `listener` for new messages inside the write job that stores them: its writes are stored with them or not at
   * all.
   */
  onStored(listener: (messages: readonly StoredMessage[]) => void): void {
    this.#onStored = listener;
  }

  /** Reads the journal. */
  async start(): Promise<void> {
    const { database, clock, quietWrites } = this.#base;
    const tables = telemetryTables(database);
    const store = new Store(this.#base, {
      registry: this.#registry,
      outbox: this.#outbox,
      tables,
      stored: (messages) => this.#onStored?.(messages),
      requestWrite: () => this.#writeSoon(),
    });
    store.start();
    this.#store = store;
    this.#timers = [
      clock.every(AGE_CHECK_MS, () => this.#compactIfDue()),
      quietWrites.add(() => this.#lazy.length > 0 && this.#writeSoon()),
    ];
  }

  /** Writes what is waiting. */
  async stop(): Promise<void> {
    const store = this.#store;
    if (store === null) return;
    for (const timer of this.#timers.splice(0)) timer.stop();
    this.#lazyTimer?.stop();
    if (this.#lazy.length > 0 || this.#group !== null) await this.#write().catch((error) => this.#logFailure(error));
    await store.stop();
    this.#store = null;
  }

  /**
   * Takes in one message. For QoS 1 (a message id) it resolves once the samples are on disk; QoS 0 resolves at once and
   * is on disk within five seconds, or some minutes if it is patient and no webhook takes it. A message that was stored
   * before changes nothing and resolves. All messages of one commit get the same promise.
   * @throws Problem `invalid_body` for an empty or too long list; `storage_full` or `unavailable` when storing it
   *   fails
   */
  ingest(deviceId: string, samples: readonly NewSample[], receipt: Receipt): Promise<void> {
    const refusal = this.#refusal(samples.length);
    if (refusal !== null) return Promise.reject(refusal);
    const isLazy = receipt.messageId === null && receipt.durable !== true && this.#lazy.length < MOST_LAZY;
    const isFull = !isLazy && this.#pending.length >= MOST_PENDING;
    this.#received += 1;
    if (isFull) {
      this.#refused += 1;
      return Promise.reject(
        new Problem("unavailable", { code: "unavailable.telemetryWaits" }, { headers: { "Retry-After": "1" } }),
      );
    }
    const isPatient = isLazy && receipt.patient === true;
    const siteId = isPatient ? this.#registry.siteOf(deviceId) : null;
    const isTold = siteId !== null && !this.#outbox.wanted(siteId, "device.telemetry");
    const arrival = arrive(deviceId, samples, receipt, this.#base.trust.state() !== "unknown", isTold);
    if (!isLazy) {
      this.#pending.push(arrival);
      if (this.#pending.length >= LARGE_GROUP) this.#goAtOnce?.();
      return this.#write();
    }
    this.#lazy.push(arrival);
    const newest = arrival.samples.at(-1);
    if (isTold && newest !== undefined)
      this.#base.bus.announce("device.telemetry", { siteId, deviceId, at: newest.at, data: newest.data });
    else this.#lazyTimer ??= this.#base.clock.after(this.#pace.lazyMs, () => this.#writeSoon());
    return STORED_LATER;
  }

  /** Inside a job: stores messages of a made-up past; samples have their own times. None of them is announced. */
  addPast(messages: readonly { readonly deviceId: string; readonly samples: readonly NewSample[] }[]): void {
    const { database, clock, trust } = this.#base;
    const receipt = { messageId: null, duplicate: false, at: clock.now() };
    const isTrusted = trust.state() !== "unknown";
    this.#started().write(messages.map(({ deviceId, samples }) => arrive(deviceId, samples, receipt, isTrusted, true)));
    database.committed(() => this.#compactIfDue());
  }

  /**
   * A device's samples, newest first; among those with the same time, the latest arrival. An unknown device has none.
   */
  recent(deviceId: string, query: RecentQuery): TelemetrySample[] {
    return this.#started().recent(deviceId, query, this.#lazy);
  }

  /**
   * A device's samples from the oldest on, as far as they are in the journal: the newest few seconds may be missing.
   * Samples of the same time are never split. An unknown device has none.
   */
  oldestFirst(deviceId: string, query: ForwardQuery): TelemetrySample[] {
    return this.#started().oldestFirst(deviceId, query);
  }

  /** Energy of one metric over the last hours (docs/spec/domain.md §4.3). */
  energy(deviceId: string, query: EnergyQuery): Energy {
    return this.#started().energy(deviceId, query, this.#lazy);
  }

  /** The history of one metric, thinned; long stretches are read in slices. An unknown device has none. */
  async history(deviceId: string, query: SeriesQuery): Promise<Series> {
    return this.#started().series(deviceId, query, () => this.#lazy);
  }

  /** The quarter hours of one metric, read in slices; the newest few seconds may be missing. */
  async quarters(deviceId: string, query: Pick<SeriesQuery, "metric" | "fromMs" | "toMs">): Promise<Quarters> {
    return this.#started().quarters(deviceId, query);
  }

  /**
   * A number that changes once the device's history has changed before its newest sample: for caches of computed
   * values.
   */
  past(deviceId: string): number {
    return this.#started().past(deviceId);
  }

  /** The metrics of a device that have a history. */
  metrics(deviceId: string): string[] {
    return this.#started().metrics(deviceId);
  }

  /** Removes everything that is stored for a device. */
  async removeDevice(deviceId: string): Promise<void> {
    this.#pending = this.#pending.filter((arrival) => arrival.deviceId !== deviceId);
    this.#lazy = this.#lazy.filter((arrival) => arrival.deviceId !== deviceId);
    await this.#started().removeDevice(deviceId);
  }

  /** Overdue samples, once it runs. */
  get aged(): AgedHistory[] {
    return this.#started().aged;
  }

  /** Removes the oldest samples over the quota. Returns how many blocks and roll-up rows were deleted. */
  async sweep(): Promise<{ blocks: number; hours: number }> {
    return this.#started().sweep();
  }

  /**
   * Makes room on a disk that is nearly full: the oldest samples go; those of the last day and all roll-ups stay.
   * Returns whether any went.
   */
  async evictOldest(): Promise<boolean> {
    return (await this.#started().evictOldest(this.#base.clock.now() - KEPT_MS)) > 0;
  }

  /** Moves samples recorded at a wrong time to their true one; returns how many. @throws when the disk refuses */
  async move(span: MovedSpan): Promise<number> {
    if (this.#lazy.length > 0) await this.#write(); // waiting samples have the wrong time too
    return this.#started().move(span);
  }

  /** Moves the journal into blocks now; for tests, backups and the command line. */
  async compact(): Promise<void> {
    await this.#started().compact();
  }

  /** Figures of arrivals and stored samples. */
  figures(): {
    received: number;
    refused: number;
    journalSamples: number;
    blockSamples: number;
    blockBytes: number;
    duplicates: number;
  } {
    return { received: this.#received, refused: this.#refused, ...this.#started().sizes() };
  }

  /** The commit that the pending messages will be in, shared by all that come before it begins. */
  #write(): Promise<void> {
    this.#group ??= this.#paced().finally(() => this.#compactIfDue());
    return this.#group;
  }

  /**
   * Under load, waits until a group is worth the pages it dirties; a single message after a quiet time is written at
   * once.
   */
  async #paced(): Promise<void> {
    const { groupMs } = this.#pace;
    const wait = this.#lastGroup.size >= LOADED_FROM ? this.#lastGroup.mono + groupMs - performance.now() : 0;
    if (wait > 0) await this.#waited(wait);
    let taken = false;
    try {
      await this.#base.database.write(
        () => {
          taken = true;
          this.#takeIn();
        },
        this.#pending.length >= LARGE_GROUP ? "large" : "patient",
      );
    } catch (error) {
      if (!taken) this.#reset();
      throw error;
    }
  }

  /** Resolves after some time, or when the group has grown large. */
  #waited(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms); // Node's own timer: a waiting write keeps the process alive
      this.#goAtOnce = () => {
        this.#goAtOnce = null;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Inside the write job: everything that is waiting becomes one journal row. */
  #takeIn(): void {
    const arrivals = this.#reset();
    this.#lastGroup = { mono: performance.now(), size: arrivals.length };
    this.#started().write(arrivals);
  }

  #reset(): Arrival[] {
    const arrivals = this.#lazy.length === 0 ? this.#pending : [...this.#lazy, ...this.#pending];
    this.#pending = [];
    this.#lazy = [];
    this.#lazyTimer?.stop();
    this.#lazyTimer = null;
    this.#group = null;
    this.#goAtOnce = null;
    return arrivals;
  }

  #writeSoon(): void {
    this.#write().catch((error) => this.#logFailure(error));
  }

  #compactIfDue(): void {
    const { journalSamples, journalAgeMs } = this.#pace;
    this.#store?.compactIfDue({ samples: journalSamples, chars: JOURNAL_CHARS, ageMs: journalAgeMs });
  }

  #refusal(samples: number): Problem | null {
    if (this.#store === null) return new Problem("unavailable", { code: "unavailable.telemetry" });
    if (samples > 0 && samples <= SAMPLES_PER_MESSAGE) return null;
    return new Problem("invalid_body", { code: "refusal.telemetry.samples", limit: SAMPLES_PER_MESSAGE });
  }

  #started(): Store {
    if (this.#store === null) throw new Problem("unavailable", { code: "unavailable.telemetry" });
    return this.#store;
  }

  #logFailure(error: unknown): void {
    this.#base.logger.error({ err: error }, "unawaited telemetry could not be stored");
  }
}
