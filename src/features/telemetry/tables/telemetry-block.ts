import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** Where a block lies in time and how much it holds. */
export interface TelemetryBlockSpan {
  readonly id: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly count: number;
  readonly bytes: number;
}

/** A block as it is written. */
export interface NewTelemetryBlock {
  readonly device: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly count: number;
  readonly bytes: number;
  readonly times: Buffer;
  readonly samples: Buffer;
}

/** All SQL of `telemetry_block`. Writing methods belong inside a write job. */
export class TelemetryBlockTable extends tableOf(prepare) {
  /** The newest time that blocks hold, per device. */
  newest(): { device: number; toAt: number }[] {
    return this.sql.newest.all();
  }

  /** Blocks that reach into [fromMs, toMs], by their last time, newest first, one at a time. */
  spansBack(device: number, fromMs: number, toMs: number): IterableIterator<TelemetryBlockSpan> {
    return this.sql.spansBack.iterate(device, fromMs, toMs);
  }

  /** Blocks that reach into [fromMs, toMs], by their last time, oldest first, one at a time. */
  spansForward(device: number, fromMs: number, toMs: number): IterableIterator<TelemetryBlockSpan> {
    return this.sql.spansForward.iterate(device, fromMs, toMs);
  }

  /** The device's block that ends last; null when there is none. */
  last(device: number): TelemetryBlockSpan | null {
    return this.sql.last.get(device) ?? null;
  }

  /** Blocks that reach into [fromMs, toMs], oldest written first. */
  overlapping(device: number, fromMs: number, toMs: number): TelemetryBlockSpan[] {
    return this.sql.overlapping.all(device, fromMs, toMs);
  }

  /** Up to `limit` blocks that end in [fromMs, toMs], the last ones, by their end. */
  endingWithin(device: number, fromMs: number, toMs: number, limit: number): TelemetryBlockSpan[] {
    return this.sql.endingWithin.all(device, fromMs, toMs, limit).reverse();
  }

  /** The packed times of a block; null when it is gone. */
  times(id: number): Buffer | null {
    return this.sql.times.get(id)?.times ?? null;
  }

  /** The packed times and samples of a block; null when it is gone. */
  content(id: number): { times: Buffer; samples: Buffer } | null {
    return this.sql.content.get(id) ?? null;
  }

  insert(block: NewTelemetryBlock): void {
    this.sql.insert.run(block);
  }

  remove(id: number): void {
    this.sql.remove.run(id);
  }

  removeDevice(device: number): void {
    this.sql.removeDevice.run(device);
  }

  /** Blocks, their bytes and samples, from the index alone. */
  figures(): { blocks: number; bytes: number; samples: number } {
    return this.sql.figures.get() ?? { blocks: 0, bytes: 0, samples: 0 };
  }

  /** Ids of up to `limit` blocks whose last sample is older than `beforeMs`, the oldest first. */
  expired(beforeMs: number, limit: number): number[] {
    return this.sql.expired.all(beforeMs, limit).map((row) => row.id);
  }

  /** How many those are. */
  countExpired(beforeMs: number): number {
    return this.sql.countExpired.get(beforeMs)?.count ?? 0;
  }

  /** The `limit` blocks that end first, across all devices. */
  oldest(limit: number): { id: number; bytes: number; toAt: number }[] {
    return this.sql.oldest.all(limit);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    newest: raw.prepare<[], { device: number; toAt: number }>(
      "SELECT device, max(to_at) AS toAt FROM telemetry_block GROUP BY device",
    ),
    spansBack: raw.prepare<[number, number, number], TelemetryBlockSpan>(
      `SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND from_at <= ? ORDER BY to_at DESC`,
    ),
    spansForward: raw.prepare<[number, number, number], TelemetryBlockSpan>(
      `SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND from_at <= ? ORDER BY to_at`,
    ),
    last: raw.prepare<[number], TelemetryBlockSpan>(
      "SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block WHERE device = ? ORDER BY to_at DESC LIMIT 1",
    ),
    overlapping: raw.prepare<[number, number, number], TelemetryBlockSpan>(
      `SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND from_at <= ? ORDER BY id`,
    ),
    endingWithin: raw.prepare<[number, number, number, number], TelemetryBlockSpan>(
      `SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND to_at <= ? ORDER BY to_at DESC LIMIT ?`,
    ),
    times: raw.prepare<[number], { times: Buffer }>("SELECT times FROM telemetry_block WHERE id = ?"),
    content: raw.prepare<[number], { times: Buffer; samples: Buffer }>(
      "SELECT times, samples FROM telemetry_block WHERE id = ?",
    ),
    insert: raw.prepare<[NewTelemetryBlock]>(
      `INSERT INTO telemetry_block (device, from_at, to_at, count, bytes, times, samples)
       VALUES (@device, @fromAt, @toAt, @count, @bytes, @times, @samples)`,
    ),
    remove: raw.prepare<[number]>("DELETE FROM telemetry_block WHERE id = ?"),
    removeDevice: raw.prepare<[number]>("DELETE FROM telemetry_block WHERE device = ?"),
    figures: raw.prepare<[], { blocks: number; bytes: number; samples: number }>(
      "SELECT count(*) AS blocks, ifnull(sum(bytes), 0) AS bytes, ifnull(sum(count), 0) AS samples FROM telemetry_block",
    ),
    expired: raw.prepare<[number, number], { id: number }>(
      "SELECT id FROM telemetry_block WHERE to_at < ? ORDER BY to_at LIMIT ?",
    ),
    countExpired: raw.prepare<[number], { count: number }>(
      "SELECT count(*) AS count FROM telemetry_block WHERE to_at < ?",
    ),
    oldest: raw.prepare<[number], { id: number; bytes: number; toAt: number }>(
      "SELECT id, bytes, to_at AS toAt FROM telemetry_block ORDER BY to_at LIMIT ?",
    ),
  };
}
