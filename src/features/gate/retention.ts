import type { Base } from "../../core/base.ts";
import type { AgedHistory } from "../../core/kernel/aged-history.ts";
import type { PlateImageFiles } from "./images.ts";
import type { GateTables } from "./tables.ts";

const DAY_MS = 86_400_000;
/** Rows per write job: a sweep after a long time must not hold up a gate. */
const BATCH = 500;

/** Pictures, reads, visits and openings that are older than the owner wants them. */
export class PlateRetention {
  /**
   * Pictures past `plates.imageRetentionDays`, and those of corrected plates unless they are kept for always; their reads
   * stay.
   */
  readonly pictures: AgedHistory;
  /**
   * Visits past the retention of reads, and what was noted of visits that were closed by hand, as soon as no read that
   * it pairs is left.
   */
  readonly visits: AgedHistory;
  /** Openings by hand, apps and rules past the retention of reads; those for a plate go with its read. */
  readonly openings: AgedHistory;
  /**
   * Reads past their retention; never one that an open or newer visit is based on, so that pairing the remaining reads
   * gives the remaining visits.
   */
  readonly reads: AgedHistory;
  readonly #base: Base;
  readonly #tables: GateTables;
  readonly #images: PlateImageFiles;

  constructor(base: Base, tables: GateTables, images: PlateImageFiles) {
    this.#base = base;
    this.#tables = tables;
    this.#images = images;
    const settings = () => base.settings().plates;
    const readDays = (): number => settings().readRetentionDays;
    const readsBefore = (days: number): number => this.#before(this.#withPictures(days));
    this.pictures = {
      kind: "pictures",
      setting: "plates.imageRetentionDays",
      keepDays: () => settings().imageRetentionDays,
      held: () => tables.images.total().count + tables.samples.count(),
      due: (days) =>
        tables.images.countExpired(this.#before(days)) + tables.samples.countExpired(this.#samplesBefore(days)),
      remove: (most) =>
        inBatches(most, (count) => this.#removeImages(this.#before(settings().imageRetentionDays), count)),
    };
    this.visits = {
      kind: "visits",
      setting: "plates.readRetentionDays",
      keepDays: readDays,
      held: () => tables.visits.count() + tables.visits.countClosures(),
      due: (days) => {
        const before = readsBefore(days);
        return tables.visits.countExpired(before) + tables.visits.countExpiredClosures(this.#unpairedBefore(before));
      },
      remove: (most) => inBatches(most, (count) => this.#removeVisits(readsBefore(readDays()), count)),
    };
    this.openings = {
      kind: "openings",
      setting: "plates.readRetentionDays",
      keepDays: readDays,
      held: () => tables.openings.countOwn(),
      due: (days) => tables.openings.countExpired(readsBefore(days)),
      remove: (most) =>
        inBatches(most, (count) => base.database.write(() => tables.openings.purge(readsBefore(readDays()), count))),
    };
    this.reads = {
      kind: "reads",
      setting: "plates.readRetentionDays",
      keepDays: readDays,
      held: () => tables.reads.count(),
      due: (days) => tables.reads.countExpired(readsBefore(days)),
      remove: (most) => inBatches(most, (count) => this.#removeReads(readsBefore(readDays()), count)),
    };
  }

  /** How many days reads are kept. */
  get readsKeptDays(): number {
    return this.#withPictures(this.#base.settings().plates.readRetentionDays);
  }

  /**
   * Removes the oldest pictures, however young, to make room on a disk that is nearly full; their reads stay. Answers
   * how many.
   */
  async evictImages(count: number): Promise<number> {
    const { database } = this.#base;
    const ids = this.#tables.images.expired(Number.MAX_SAFE_INTEGER, count);
    await this.#images.remove(ids); // first: where the disk is full, no row can be changed before
    await database.write(() => this.#tables.images.remove(ids));
    return ids.length;
  }

  /** Bytes of all pictures. */
  imageBytes(): number {
    return this.#tables.images.total().bytes;
  }

  /** Removes picture files that no row knows; run it before captures are taken. */
  async removeStrays(): Promise<number> {
    const known = new Set(this.#tables.images.ids());
    return this.#images.removeStrays((id) => known.has(id));
  }

  /** Closures from before this pair no read any more. */
  #unpairedBefore(before: number): number {
    return Math.min(before, this.#tables.reads.oldestAt() ?? before);
  }

  #samplesBefore(days: number): number {
    return this.#base.settings().plates.keepCorrected === "always" ? 0 : this.#before(days);
  }

  /** Reads are never kept for a shorter time than their pictures. */
  #withPictures(days: number): number {
    return Math.max(days, this.#base.settings().plates.imageRetentionDays);
  }

  #before(days: number): number {
    return this.#base.clock.certain() - days * DAY_MS;
  }

  async #removeImages(before: number, count: number): Promise<number> {
    const { database } = this.#base;
    const ids = this.#tables.images.expired(before, count);
    const samplesBefore = this.#samplesBefore(this.#base.settings().plates.imageRetentionDays);
    if (ids.length === 0 && this.#tables.samples.countExpired(samplesBefore) === 0) return 0;
    const samples = await database.write(() => {
      this.#tables.images.remove(ids);
      return this.#tables.samples.purge(samplesBefore, count - ids.length);
    });
    await this.#images.remove(ids);
    return ids.length + samples;
  }

  #removeVisits(before: number, count: number): Promise<number> {
    const { database } = this.#base;
    return database.write(() => {
      const visits = this.#tables.visits.expired(before, count);
      for (const visit of visits) this.#tables.visits.remove(visit.id);
      this.#refreshVehicles(visits);
      return visits.length + this.#tables.visits.purgeClosures(this.#unpairedBefore(before), count - visits.length);
    });
  }

  async #removeReads(before: number, count: number): Promise<number> {
    const { database } = this.#base;
    const ids = await database.write(() => {
      const reads = this.#tables.reads.expired(before, count);
      this.#tables.reads.remove(reads.map((row) => row.id));
      this.#refreshVehicles(reads);
      return reads.map((row) => row.id);
    });
    await this.#images.remove(ids);
    return ids.length;
  }

  #refreshVehicles(rows: readonly { readonly siteId: number; readonly plate: string | null }[]): void {
    const touched = new Map(rows.map((row) => [`${row.siteId} ${row.plate}`, row]));
    for (const { siteId, plate } of touched.values()) if (plate !== null) this.#tables.vehicles.refresh(siteId, plate);
  }
}

async function inBatches(most: number, remove: (count: number) => Promise<number>): Promise<number> {
  let gone = 0;
  while (gone < most) {
    const batch = await remove(Math.min(BATCH, most - gone));
    if (batch === 0) break;
    gone += batch;
  }
  return gone;
}
