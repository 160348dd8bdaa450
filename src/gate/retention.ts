import type { Clock } from "../kernel/clock.js";
import type { Database } from "../storage/database.js";
import type { PlateImageFiles } from "./images.js";
import type { GateSettings } from "./ports.js";
import type { GateTables } from "./tables.js";

/** What {@link PlateRetention} needs. */
export interface PlateRetentionOptions {
  readonly database: Database;
  readonly tables: GateTables;
  readonly images: PlateImageFiles;
  readonly settings: () => GateSettings;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
/** Rows per write job: a sweep after a long time must not hold up a gate. */
const BATCH = 500;

/** Forgets pictures, reads and visits that are older than the owner wants them. */
export class PlateRetention {
  readonly #options: PlateRetentionOptions;

  constructor(options: PlateRetentionOptions) {
    this.#options = options;
  }

  /** Removes pictures past ANPR_IMAGE_RETENTION_DAYS; their reads stay. Answers how many. */
  async sweepImages(): Promise<number> {
    const { database, tables, images, settings, clock } = this.#options;
    const before = clock.certain() - settings().imageRetentionDays * DAY_MS;
    let removed = 0;
    for (;;) {
      const ids = tables.images.expired(before, BATCH);
      if (ids.length === 0) return removed;
      await database.write(() => tables.images.remove(ids));
      await images.remove(ids);
      removed += ids.length;
    }
  }

  /** Removes the oldest pictures, however young, to make room on a disk that is nearly full; their reads stay. Answers how many. */
  async evictImages(count: number): Promise<number> {
    const { database, tables, images } = this.#options;
    const ids = tables.images.expired(Number.MAX_SAFE_INTEGER, count);
    await images.remove(ids); // first: where the disk is full, no row can be changed before
    await database.write(() => tables.images.remove(ids));
    return ids.length;
  }

  /** Bytes of all pictures. */
  imageBytes(): number {
    return this.#options.tables.images.total().bytes;
  }

  /**
   * Removes visits, then reads and closures past the retention of reads; never one that an open or newer visit stands on, so that pairing what is left
   * gives the visits that are left. Answers how many reads went.
   */
  async sweepReads(): Promise<number> {
    const { settings, clock } = this.#options;
    const { readRetentionDays, imageRetentionDays } = settings();
    const before = clock.certain() - Math.max(readRetentionDays, imageRetentionDays) * DAY_MS;
    let removed = 0;
    for (;;) {
      const batch = await this.#sweepBatch(before);
      removed += batch.reads;
      if (batch.reads === 0 && batch.visits === 0) break;
    }
    return removed;
  }

  /** Removes picture files that no row knows; run it before captures are taken. */
  async removeStrays(): Promise<number> {
    const { tables, images } = this.#options;
    const known = new Set(tables.images.ids());
    return images.removeStrays((id) => known.has(id));
  }

  async #sweepBatch(before: number): Promise<{ reads: number; visits: number }> {
    const { database, tables, images } = this.#options;
    const swept = await database.write(() => {
      const visits = tables.visits.expired(before, BATCH);
      for (const visit of visits) tables.visits.remove(visit.id);
      const reads = tables.reads.expired(before, BATCH);
      tables.reads.remove(reads.map((row) => row.id));
      tables.visits.purgeClosures(before);
      const touched = new Map([...visits, ...reads].map((row) => [`${row.site_id} ${row.plate}`, row]));
      for (const { site_id, plate } of touched.values()) if (plate !== null) tables.vehicles.refresh(site_id, plate);
      return { ids: reads.map((row) => row.id), visits: visits.length };
    });
    await images.remove(swept.ids);
    return { reads: swept.ids.length, visits: swept.visits };
  }
}
