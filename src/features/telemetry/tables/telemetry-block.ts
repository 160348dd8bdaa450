import { Table } from "../../../core/storage/table.ts";

/** A block's time span and number of samples. */
export interface TelemetryBlockSpan {
  readonly id: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly count: number;
  readonly bytes: number;
}

/** A block to be written. */
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
export class TelemetryBlockTable extends Table {
  readonly #spansBack = this.sql.statement<
    [number, number, number],
    TelemetryBlockSpan
  >(`SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND from_at <= ? ORDER BY to_at DESC`);
  readonly #spansForward = this.sql.statement<
    [number, number, number],
    TelemetryBlockSpan
  >(`SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND from_at <= ? ORDER BY to_at`);
  readonly #endingWithin = this.sql.statement<
    [number, number, number, number],
    TelemetryBlockSpan
  >(`SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND to_at <= ? ORDER BY to_at DESC LIMIT ?`);
  readonly #figures = this.sql.statement<[], { blocks: number; bytes: number; samples: number }>(
    "SELECT count(*) AS blocks, ifnull(sum(bytes), 0) AS bytes, ifnull(sum(count), 0) AS samples FROM telemetry_block",
  );
  readonly #expired = this.sql.statement<[number, number], { id: number }>(
    "SELECT id FROM telemetry_block WHERE to_at < ? ORDER BY to_at LIMIT ?",
  );

  /** The newest time that blocks hold, per device. */
  readonly newest = this.sql.all<[], { device: number; toAt: number }>(
    "SELECT device, max(to_at) AS toAt FROM telemetry_block GROUP BY device",
  );

  /** Blocks that reach into [fromMs, toMs], by their last time, newest first, one at a time. */
  spansBack(device: number, fromMs: number, toMs: number): IterableIterator<TelemetryBlockSpan> {
    return this.#spansBack.iterate(device, fromMs, toMs);
  }

  /** Blocks that reach into [fromMs, toMs], by their last time, oldest first, one at a time. */
  spansForward(device: number, fromMs: number, toMs: number): IterableIterator<TelemetryBlockSpan> {
    return this.#spansForward.iterate(device, fromMs, toMs);
  }

  /** The device's block that ends last; null when there is none. */
  readonly last = this.sql.first<[device: number], TelemetryBlockSpan>(
    "SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block WHERE device = ? ORDER BY to_at DESC LIMIT 1",
  );

  /** Blocks that reach into [fromMs, toMs], oldest written first. */
  readonly overlapping = this.sql.all<
    [device: number, fromMs: number, toMs: number],
    TelemetryBlockSpan
  >(`SELECT id, from_at AS fromAt, to_at AS toAt, count, bytes FROM telemetry_block
       WHERE device = ? AND to_at >= ? AND from_at <= ? ORDER BY id`);

  /** Up to `limit` blocks that end in [fromMs, toMs], the last ones, by their end. */
  endingWithin(device: number, fromMs: number, toMs: number, limit: number): TelemetryBlockSpan[] {
    return this.#endingWithin.all(device, fromMs, toMs, limit).reverse();
  }

  /** The packed times of a block; null when it is gone. */
  readonly times = this.sql.value<[id: number], Buffer | null>("SELECT times FROM telemetry_block WHERE id = ?", null);

  /** The packed times and samples of a block; null when it is gone. */
  readonly content = this.sql.first<[id: number], { times: Buffer; samples: Buffer }>(
    "SELECT times, samples FROM telemetry_block WHERE id = ?",
  );

  readonly insert = this.sql.run<
    [block: NewTelemetryBlock]
  >(`INSERT INTO telemetry_block (device, from_at, to_at, count, bytes, times, samples)
       VALUES (@device, @fromAt, @toAt, @count, @bytes, @times, @samples)`);

  readonly remove = this.sql.run<[id: number]>("DELETE FROM telemetry_block WHERE id = ?");

  readonly removeDevice = this.sql.run<[device: number]>("DELETE FROM telemetry_block WHERE device = ?");

  /** Blocks, their bytes and samples, from the index alone. */
  figures(): { blocks: number; bytes: number; samples: number } {
    return this.#figures.get() ?? { blocks: 0, bytes: 0, samples: 0 };
  }

  /** Ids of up to `limit` blocks whose last sample is older than `beforeMs`, the oldest first. */
  expired(beforeMs: number, limit: number): number[] {
    return this.#expired.all(beforeMs, limit).map((row) => row.id);
  }

  /** How many those are. */
  readonly countExpired = this.sql.value<[beforeMs: number], number>(
    "SELECT count(*) AS count FROM telemetry_block WHERE to_at < ?",
    0,
  );

  /** The `limit` blocks that end first, across all devices. */
  readonly oldest = this.sql.all<[limit: number], { id: number; bytes: number; toAt: number }>(
    "SELECT id, bytes, to_at AS toAt FROM telemetry_block ORDER BY to_at LIMIT ?",
  );
}
