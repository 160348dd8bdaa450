import type { Base } from "../../core/base.ts";
import type { AgedHistory } from "../../core/kernel/aged-history.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { RecentMessages } from "../../core/mqtt/redelivery.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { Arrival } from "./arrival.ts";
import { Compaction, type MovedSpan } from "./compaction.ts";
import { Generation } from "./generation.ts";
import { type EnergyQuery, type ForwardQuery, History, type RecentQuery, type TelemetrySample } from "./history.ts";
import { Intake } from "./intake.ts";
import { type JournalEntry, packJournal, readJournalRow } from "./journal-format.ts";
import { PastChanges } from "./past-changes.ts";
import { Reports } from "./reports.ts";
import { agedSamples, agedSums, evictOldest, keepQuota, type Swept } from "./retention.ts";
import type { Energy } from "./rules/energy.ts";
import type { Sample } from "./sample.ts";
import { type Picture, type Quarters, type Series, type SeriesQuery, SeriesReader } from "./series-reader.ts";
import { StoredSamples } from "./stored-samples.ts";
import type { TelemetryTables } from "./tables.ts";
import { Unreadable } from "./unreadable.ts";

/** When the journal is to be compacted. */
export interface JournalLimits {
  readonly samples: number;
  readonly chars: number;
  readonly ageMs: number;
}

/** How long the next compaction waits after a failed one. */
const RETRY_MS = 60_000;
const FEW_SAMPLES = 500;

/** The journal and what it is compacted into, with the picture of it in memory. Each `Telemetry` has one. */
export class Store {
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #tables: TelemetryTables;
  readonly #onStored: (messages: readonly Arrival[]) => void;
  readonly #unreadable: Unreadable;
  readonly #history: History;
  readonly #reader: SeriesReader;
  readonly #reports: Reports;
  readonly #compaction: Compaction;
  readonly #refs = new Map<string, number>();
  readonly #recents = new Map<number, RecentMessages>();
  /** Newest time in the blocks, per device. */
  readonly #newest = new Map<number, number>();
  #live = new Generation();
  #frozen: Generation | null = null;
  #liveSinceMono = 0;
  #failedMono = Number.NEGATIVE_INFINITY;
  #compacting = false;
  /** Compaction, removal and sweep run one after another: each sees the blocks as the last one left them. */
  #exclusive: Promise<unknown> = Promise.resolve();
  #duplicates = 0;
  /** Increases whenever samples move from memory to the tables, or within them. */
  #version = 0;
  readonly #past = new PastChanges();

  /** `stored` is called inside the write job that stores them; `requestWrite` requests a write job soon. */
  constructor(
    base: Base,
    {
      registry,
      outbox,
      tables,
      stored,
      requestWrite,
    }: {
      readonly registry: DeviceRegistry;
      readonly outbox: Outbox;
      readonly tables: TelemetryTables;
      readonly stored: (messages: readonly Arrival[]) => void;
      readonly requestWrite: () => void;
    },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#tables = tables;
    this.#onStored = stored;
    const unreadable = new Unreadable(base, tables);
    this.#unreadable = unreadable;
    this.#history = new History(tables, unreadable);
    this.#reader = new SeriesReader(tables, unreadable);
    unreadable.onDropped((blockId) => this.#history.dropBlock(blockId));
    this.#reports = new Reports(base, { registry, outbox, requestWrite });
    this.#compaction = new Compaction(base, { tables, reports: this.#reports, unreadable, recents: this.#recents });
  }

  /** Builds the memory picture from the journal. */
  start(): void {
    const { clock } = this.#base;
    const names = new Map<number, string>();
    for (const row of this.#tables.devices.all()) {
      this.#refs.set(row.deviceId, row.ref);
      names.set(row.ref, row.deviceId);
      this.#recentOf(row.ref).unpack(row.recent);
    }
    for (const row of this.#tables.blocks.newest()) this.#newest.set(row.device, row.toAt);
    this.#compaction.start();
    this.#liveSinceMono = clock.mono();
    const unreadable: { id: number; samples: Buffer }[] = [];
    for (const row of this.#tables.journal.all()) {
      this.#live.lastRow = row.id;
      const entries = readJournalRow(row.samples);
      if (entries === null) unreadable.push(row);
      else
        for (const [entry, data] of entries) this.#replay(entry, data, { row: row.id, deviceId: names.get(entry.ref) });
    }
    if (unreadable.length > 0) this.#unreadable.journalRows(unreadable);
    this.#reports.arm();
  }

  async stop(): Promise<void> {
    this.#reports.stop();
    await this.#exclusive;
  }

  /** Inside a write job: stores what is new of the arrivals as one journal row. */
  write(arrivals: readonly Arrival[]): void {
    const { database, bus } = this.#base;
    const intake = new Intake({
      refOf: (deviceId) => this.#refs.get(deviceId) ?? this.#tables.devices.refOf(deviceId),
      recentOf: (ref) => this.#recents.get(ref) ?? null,
      stored: (ref) => this.#stored(ref),
      registry: this.#registry,
      reports: this.#reports,
    });
    arrivals.forEach((arrival) => void intake.take(arrival)); // see core/mqtt/intake.ts, `#settle`
    const plan = this.#reports.plan(intake.fresh);
    const entries: JournalEntry[] = [...intake.messages, ...plan.entries];
    this.#onStored(intake.messages);
    const row = entries.length > 0 ? this.#tables.journal.append(packJournal(entries)) : this.#live.lastRow;
    database.committed(() => {
      this.#duplicates += intake.duplicates;
      if (this.#live.count === 0) this.#liveSinceMono = this.#base.clock.mono();
      this.#live.lastRow = row;
      intake.refs.forEach((ref, deviceId) => void this.#refs.set(deviceId, ref));
      intake.messages.forEach((message) => void this.#hold(message));
      plan.committed(row);
      this.#reports.arm();
      if (bus.isHeard("device.telemetry"))
        intake.messages.forEach(({ siteId, deviceId, newest, isTold }) => {
          if (newest !== null && !isTold)
            bus.announce("device.telemetry", { siteId, deviceId, at: newest.at, data: newest.data });
        });
    });
  }

  #hold({ ref, samples, messageId, check }: Arrival): void {
    for (const sample of samples) {
      this.#live.add(ref, sample, sample.data);
      this.#past.arrived(ref, sample.at);
    }
    if (messageId !== null) this.#recentOf(ref).remember(messageId, check);
  }

  recent(deviceId: string, query: RecentQuery, waiting: readonly Arrival[]): TelemetrySample[] {
    const ref = this.#refs.get(deviceId) ?? null;
    return this.#history.recent(ref, this.#generations(), query, this.#waitingSamples(ref, deviceId, waiting));
  }

  oldestFirst(deviceId: string, query: ForwardQuery): TelemetrySample[] {
    return this.#history.oldestFirst(this.#refs.get(deviceId) ?? null, this.#generations(), query);
  }

  energy(deviceId: string, query: EnergyQuery, waiting: readonly Arrival[]): Energy {
    const ref = this.#refs.get(deviceId) ?? null;
    return this.#history.energy(ref, this.#generations(), query, this.#waitingSamples(ref, deviceId, waiting));
  }

  /** A metric's history, read in slices; `waiting` gives what is in no journal yet. */
  series(deviceId: string, query: SeriesQuery, waiting: () => readonly Arrival[]): Promise<Series> {
    return this.#reader.series(() => this.#picture(deviceId, waiting()), query);
  }

  /** A metric's quarter hours, read in slices. */
  quarters(deviceId: string, query: Pick<SeriesQuery, "metric" | "fromMs" | "toMs">): Promise<Quarters> {
    return this.#reader.quarters(() => this.#picture(deviceId, []), query);
  }

  /** A number that changes once the device's history has changed before its newest sample. */
  past(deviceId: string): number {
    const ref = this.#refs.get(deviceId);
    return ref === undefined ? -1 : this.#past.of(ref);
  }

  /** The metrics of a device that have roll-ups. */
  metrics(deviceId: string): string[] {
    const ref = this.#refs.get(deviceId);
    if (ref === undefined) return [];
    const fresh = this.#generations().flatMap((generation) => [...(generation.rollups.get(ref)?.keys() ?? [])]);
    return [...new Set([...this.#compaction.metrics(ref), ...fresh])];
  }

  #picture(deviceId: string, waiting: readonly Arrival[]): Picture {
    const ref = this.#refs.get(deviceId) ?? null;
    return {
      ref,
      generations: this.#generations(),
      waiting: this.#waitingSamples(ref, deviceId, waiting),
      lastPowers: ref === null ? new Map() : this.#compaction.lastPowers(ref),
      version: this.#version,
    };
  }

  /** Removes everything of a device; resolves once it is deleted from the disk. */
  async removeDevice(deviceId: string): Promise<void> {
    const { database } = this.#base;
    await this.#alone(async () => {
      const ref = this.#refs.get(deviceId);
      if (ref === undefined) return;
      await database.write(() => {
        this.#tables.blocks.removeDevice(ref);
        for (const series of this.#compaction.seriesIds(ref))
          this.#tables.hours.removeBefore(series, Number.MAX_SAFE_INTEGER);
        this.#tables.devices.remove(ref);
        database.committed(() => {
          this.#version += 1;
          this.#past.rewritten();
          this.#refs.delete(deviceId);
          this.#recents.delete(ref);
          this.#newest.delete(ref);
          this.#live.forget(ref);
          this.#reports.settle(ref);
          this.#compaction.forget(ref);
          this.#history.dropAllBlocks();
        });
      });
    });
  }

  /** Samples and roll-ups that are too old. */
  get aged(): AgedHistory[] {
    return [agedSamples(this.#swept), agedSums(this.#swept)].map((history) => ({
      ...history,
      remove: (most) => this.#removing(() => history.remove(most)),
    }));
  }

  /** Removes the oldest samples over the quota. Returns how many blocks and roll-up rows were deleted. */
  async sweep(): Promise<{ blocks: number; hours: number }> {
    return this.#removing(() => keepQuota(this.#swept));
  }

  /** Removes the oldest blocks that end before `keepAfterMs`. Returns how many. */
  async evictOldest(keepAfterMs: number): Promise<number> {
    return this.#removing(() => evictOldest({ ...this.#swept, keepAfterMs }));
  }

  get #swept(): Swept {
    const { database, clock, settings } = this.#base;
    return {
      database,
      tables: this.#tables,
      retention: () => settings().telemetry,
      now: () => clock.certain(),
      series: () => this.#compaction.seriesIds(),
    };
  }

  #removing<Result>(remove: () => Promise<Result>): Promise<Result> {
    return this.#alone(async () => {
      const result = await remove();
      this.#version += 1;
      this.#past.rewritten();
      this.#history.dropAllBlocks();
      return result;
    });
  }

  /** Starts a compaction when the journal has reached a limit, unless one runs or has just failed. */
  compactIfDue(limits: JournalLimits): void {
    const now = this.#base.clock.mono();
    const { count, chars } = this.#live;
    if (this.#compacting || count === 0 || now - this.#failedMono < RETRY_MS) return;
    // Whole pages are moved: a few samples wait until they fill one.
    const ageMs = count < FEW_SAMPLES ? 4 * limits.ageMs : limits.ageMs;
    if (count < limits.samples && chars < limits.chars && now - this.#liveSinceMono < ageMs) return;
    this.compact().catch((error) =>
      this.#base.logger.error({ err: error }, "telemetry journal could not be compacted; it stays as it is"),
    );
  }

  /** Moves the journal into blocks and roll-ups. @throws when the disk refuses; the journal then stays as it is. */
  async compact(): Promise<void> {
    this.#compacting = true;
    try {
      await this.#alone(() => this.#compactNow());
    } finally {
      this.#compacting = false;
    }
  }

  /**
   * Moves records within the span to their true time, device by device. Samples that a device dated itself move too if
   * they lie in it: such a device has its time from the hub. Returns how many samples.
   */
  async move(span: MovedSpan): Promise<number> {
    return this.#alone(async () => {
      await this.#compactNow();
      let moved = 0;
      for (const ref of this.#refs.values()) moved += await this.#compaction.move(ref, span);
      this.#version += 1;
      this.#past.rewritten();
      this.#history.dropAllBlocks();
      this.#newest.clear();
      for (const row of this.#tables.blocks.newest()) this.#newest.set(row.device, row.toAt);
      return moved;
    });
  }

  sizes(): { journalSamples: number; blockSamples: number; blockBytes: number; duplicates: number } {
    const { samples, bytes } = this.#tables.blocks.figures();
    const journalSamples = this.#live.count + (this.#frozen?.count ?? 0);
    return { journalSamples, blockSamples: samples, blockBytes: bytes, duplicates: this.#duplicates };
  }

  async #compactNow(): Promise<void> {
    const frozen = this.#live;
    if (frozen.count === 0) return;
    this.#frozen = frozen;
    this.#live = new Generation();
    this.#live.lastRow = frozen.lastRow;
    this.#liveSinceMono = this.#base.clock.mono();
    try {
      await this.#compaction.run(frozen, (result) => {
        this.#frozen = null;
        this.#version += 1;
        for (const id of result.replaced) this.#history.dropBlock(id);
        for (const [ref, at] of result.newest) this.#newest.set(ref, Math.max(at, this.#newest.get(ref) ?? 0));
      });
    } catch (error) {
      frozen.absorb(this.#live);
      this.#live = frozen;
      this.#frozen = null;
      this.#failedMono = this.#base.clock.mono();
      throw error;
    }
  }

  #alone<Result>(task: () => Promise<Result>): Promise<Result> {
    const run = this.#exclusive.then(task);
    this.#exclusive = run.catch(() => {});
    return run;
  }

  #generations(): Generation[] {
    return this.#frozen === null ? [this.#live] : [this.#frozen, this.#live];
  }

  #recentOf(ref: number): RecentMessages {
    const known = this.#recents.get(ref);
    if (known !== undefined) return known;
    const recent = new RecentMessages();
    this.#recents.set(ref, recent);
    return recent;
  }

  /** A device's stored samples, valid within this turn. */
  #stored(ref: number): StoredSamples {
    return new StoredSamples(ref, {
      live: this.#live.lists.get(ref),
      frozen: this.#frozen?.lists.get(ref),
      newest: this.#newest.get(ref),
      blocks: this.#tables.blocks,
      history: this.#history,
    });
  }

  #waitingSamples(ref: number | null, deviceId: string, waiting: readonly Arrival[]): Sample[] {
    const samples = waiting.filter((arrival) => arrival.deviceId === deviceId).flatMap((arrival) => arrival.samples);
    const stored = ref === null ? null : this.#stored(ref);
    return samples.filter((sample) => !(sample.own && stored?.has(sample.at, sample.text)));
  }

  #replay(
    entry: JournalEntry,
    data: readonly JsonObject[],
    { row, deviceId }: { row: number; deviceId: string | undefined },
  ): void {
    if (deviceId === undefined) return; // removed since
    if (entry.kind === "reported") this.#reports.settle(entry.ref);
    else if (entry.kind === "carried") this.#reports.addPending(entry.ref, deviceId, entry.samples, row);
    else {
      for (const [n, sample] of entry.samples.entries()) this.#live.add(entry.ref, sample, data[n]);
      if (entry.messageId !== null) this.#recentOf(entry.ref).replay(entry.messageId, entry.check);
      if (entry.pending) this.#reports.addPending(entry.ref, deviceId, entry.samples, row);
    }
  }
}
