import type { AgedHistory } from "../../core/kernel/aged-history.ts";
import type { Settings } from "../../core/settings/schema.ts";
import type { Database } from "../../core/storage/database.ts";
import type { TelemetryTables } from "./tables.ts";

/** Retention by age and size. */
type Retention = Pick<Settings["telemetry"], "rawDays" | "hourlyDays" | "maxMegabytes">;

/** What a sweep works on. */
export interface Swept {
  readonly database: Database;
  readonly tables: TelemetryTables;
  /** Read at the moment of use. */
  readonly retention: () => Retention;
  /** The time that has certainly come, epoch milliseconds. */
  readonly now: () => number;
  readonly series: () => readonly number[];
}

const MEGABYTE = 1_048_576;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;
const HOURS_PER_WEEK = 168;
/** Rows removed in one write job; more would delay other writers. */
const BATCH = 200;
/** A block's size besides its content: row, page slack, index entry. */
const BLOCK_OVERHEAD_BYTES = 200;
/** The size of a roll-up row. */
const HOUR_ROW_BYTES = 150;

/** Blocks of samples that are too old. */
export function agedSamples({ database, tables, retention, now }: Swept): AgedHistory {
  const before = (days: number): number => now() - days * DAY_MS;
  return {
    kind: "samples",
    setting: "telemetry.rawDays",
    keepDays: () => retention().rawDays,
    held: () => tables.blocks.figures().blocks,
    due: (days) => tables.blocks.countExpired(before(days)),
    remove: async (most) => {
      let gone = 0;
      while (gone < most) {
        const ids = tables.blocks.expired(before(retention().rawDays), Math.min(BATCH, most - gone));
        if (ids.length === 0) break;
        await removeBlocks(database, tables, ids);
        gone += ids.length;
      }
      return gone;
    },
  };
}

/** Hourly roll-ups that are too old. */
export function agedSums({ database, tables, retention, now, series }: Swept): AgedHistory {
  const before = (days: number): number => Math.floor(now() / HOUR_MS) - days * HOURS_PER_DAY;
  const older = (hour: number): number => series().reduce((sum, id) => sum + tables.hours.countBefore(id, hour), 0);
  return {
    kind: "sums",
    setting: "telemetry.hourlyDays",
    keepDays: () => retention().hourlyDays,
    held: () => tables.hours.rows(),
    due: (days) => older(before(days)),
    remove: async (most) => {
      let left = most;
      for (const end = before(retention().hourlyDays); left > 0; ) {
        const hour = oldestHour(tables, series());
        if (hour === null || hour >= end) break;
        const gone = await removeHours(database, tables, {
          series: series(),
          before: Math.min(end, hour + HOURS_PER_DAY),
          most: left,
        });
        if (gone === 0) break;
        left -= gone;
      }
      return most - left;
    },
  };
}

/**
 * Removes the oldest samples and roll-ups until the quota is met. Freed pages are reused by the next rows, so the file
 * stops growing at the quota without a VACUUM.
 */
export async function keepQuota(swept: Swept): Promise<{ blocks: number; hours: number }> {
  const { database, tables, retention, now, series } = swept;
  const maxBytes = retention().maxMegabytes * MEGABYTE;
  let blocks = 0;
  for (let excess = blockBytes(tables) - maxBytes; excess > 0; ) {
    const ids: number[] = [];
    for (const block of tables.blocks.oldest(BATCH)) {
      if (excess <= 0) break;
      ids.push(block.id);
      excess -= block.bytes + BLOCK_OVERHEAD_BYTES;
    }
    if (ids.length === 0) break;
    await removeBlocks(database, tables, ids);
    blocks += ids.length;
  }
  const currentHour = Math.floor(now() / HOUR_MS);
  let hours = 0;
  for (let cutoff = 0; cutoff < currentHour && tables.hours.rows() * HOUR_ROW_BYTES > maxBytes; ) {
    cutoff = Math.min(currentHour, (oldestHour(tables, series()) ?? currentHour) + HOURS_PER_WEEK);
    hours += await removeHours(database, tables, { series: series(), before: cutoff, most: Number.MAX_SAFE_INTEGER });
  }
  return { blocks, hours };
}

/**
 * Removes the oldest samples up to `keepAfterMs`, regardless of the retention, to make room on a disk that is nearly
 * full; roll-ups stay. Returns how many blocks were removed.
 */
export async function evictOldest(options: {
  readonly database: Database;
  readonly tables: TelemetryTables;
  readonly keepAfterMs: number;
}): Promise<number> {
  const { database, tables, keepAfterMs } = options;
  const ids = tables.blocks.oldest(BATCH).flatMap((block) => (block.toAt < keepAfterMs ? [block.id] : []));
  if (ids.length > 0) await removeBlocks(database, tables, ids);
  return ids.length;
}

async function removeBlocks(database: Database, tables: TelemetryTables, ids: readonly number[]): Promise<void> {
  await database.write(() => {
    for (const id of ids) tables.blocks.remove(id);
  });
}

/** Removes up to `most` roll-ups of all series from before an hour. */
async function removeHours(
  database: Database,
  tables: TelemetryTables,
  { series, before, most }: { readonly series: readonly number[]; readonly before: number; readonly most: number },
): Promise<number> {
  let gone = 0;
  for (const id of series) {
    const hasSome = (tables.hours.oldest(id) ?? before) < before; // no write job for nothing
    if (hasSome) gone += await database.write(() => tables.hours.removeBefore(id, before, most - gone));
  }
  return gone;
}

function oldestHour(tables: TelemetryTables, series: readonly number[]): number | null {
  let oldest: number | null = null;
  for (const id of series) {
    const hour = tables.hours.oldest(id);
    if (hour !== null && (oldest === null || hour < oldest)) oldest = hour;
  }
  return oldest;
}

function blockBytes(tables: TelemetryTables): number {
  const { bytes, blocks } = tables.blocks.figures();
  return bytes + blocks * BLOCK_OVERHEAD_BYTES;
}
