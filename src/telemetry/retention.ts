import type { Database } from "../storage/database.js";
import type { TelemetryTables } from "./compaction.js";

/** How long and how much is kept. */
export interface Retention {
  readonly rawDays: number;
  readonly hourlyDays: number;
  /** Most space for samples, and as much again for roll-ups. */
  readonly maxBytes: number;
}

const DAY_MS = 86_400_000;
const HOURS_PER_WEEK = 168;
/** Rows removed in one write job; more would hold up other writers. */
const BATCH = 200;
/** What a block takes beside its content: row, page slack, index entry. */
const BLOCK_OVERHEAD_BYTES = 200;
/** What a roll-up row takes. */
const HOUR_ROW_BYTES = 110;

/**
 * Removes samples and roll-ups that are too old, then the oldest ones until the quota is kept. Freed pages are used
 * again by the next rows, so the file stops growing at the quota without a VACUUM.
 */
export async function sweep(options: {
  readonly database: Database;
  readonly tables: TelemetryTables;
  readonly retention: Retention;
  readonly now: number;
  readonly refs: readonly number[];
  readonly series: readonly number[];
}): Promise<{ blocks: number; hours: number }> {
  const { database, tables, retention, now, refs, series } = options;
  let blocks = 0;
  const removeBlocks = async (ids: readonly number[]): Promise<void> => {
    await database.write(() => {
      for (const id of ids) tables.blocks.remove(id);
    });
    blocks += ids.length;
  };
  for (const ref of refs) {
    for (let ids = expired(ref); ids.length > 0; ids = expired(ref)) await removeBlocks(ids);
  }
  function expired(ref: number): number[] {
    return tables.blocks.expired(ref, now - retention.rawDays * DAY_MS, BATCH);
  }
  for (let excess = blockBytes(tables) - retention.maxBytes; excess > 0; ) {
    const ids: number[] = [];
    for (const block of tables.blocks.oldest(BATCH)) {
      if (excess <= 0) break;
      ids.push(block.id);
      excess -= block.bytes + BLOCK_OVERHEAD_BYTES;
    }
    if (ids.length === 0) break;
    await removeBlocks(ids);
  }
  const hours = await sweepHours(options, series);
  return { blocks, hours };
}

/** Removes the oldest samples, however young up to `keepAfterMs`, to make room on a disk that is nearly full; roll-ups stay. Returns how many blocks went. */
export async function evictOldest(options: { readonly database: Database; readonly tables: TelemetryTables; readonly keepAfterMs: number }): Promise<number> {
  const { database, tables, keepAfterMs } = options;
  const ids = tables.blocks.oldest(BATCH).flatMap((block) => (block.to_at < keepAfterMs ? [block.id] : []));
  if (ids.length === 0) return 0;
  await database.write(() => {
    for (const id of ids) tables.blocks.remove(id);
  });
  return ids.length;
}

function blockBytes(tables: TelemetryTables): number {
  const { bytes, blocks } = tables.blocks.figures();
  return bytes + blocks * BLOCK_OVERHEAD_BYTES;
}

async function sweepHours(
  options: { readonly database: Database; readonly tables: TelemetryTables; readonly retention: Retention; readonly now: number },
  series: readonly number[],
): Promise<number> {
  const { database, tables, retention, now } = options;
  let removed = 0;
  const removeBefore = async (hour: number): Promise<void> => {
    for (const id of series) {
      const oldest = tables.hours.oldest(id);
      if (oldest !== null && oldest < hour) removed += await database.write(() => tables.hours.removeBefore(id, hour));
    }
  };
  const currentHour = Math.floor(now / (DAY_MS / 24));
  let cutoff = currentHour - retention.hourlyDays * 24;
  await removeBefore(cutoff);
  while (cutoff < currentHour && tables.hours.rows() * HOUR_ROW_BYTES > retention.maxBytes) {
    const oldest = Math.min(...series.map((id) => tables.hours.oldest(id) ?? currentHour));
    cutoff = Math.min(currentHour, oldest + HOURS_PER_WEEK);
    await removeBefore(cutoff);
  }
  return removed;
}
