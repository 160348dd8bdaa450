import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `plate_sample`: a plate that a person put right, as a picture, with the right text. */
export interface PlateSampleRow {
  readonly readId: number;
  readonly siteId: number;
  readonly deviceId: string;
  /** The right plate. */
  readonly plate: string;
  /** What the hub had read: the plate, or else the text. */
  readonly seen: string;
  /** Time of the read, epoch milliseconds. */
  readonly at: number;
  /** JPEG of the plate with a margin. */
  readonly crop: Buffer;
}

const COLUMNS = "read_id AS readId, site_id AS siteId, device_id AS deviceId, plate, seen, at, crop";

/** All SQL of the table `plate_sample`. Writing methods belong inside a write job. */
export class PlateSampleTable extends tableOf(prepare) {
  /** Keeps a sample, in place of an older one of the read; the oldest of the household beyond `most` go. */
  put(row: PlateSampleRow, most: number): void {
    this.sql.put.run(row);
    this.sql.trim.run({ siteId: row.siteId, most });
  }

  /** Those after a read's, in order of the reads. */
  list(siteId: number, afterReadId: number, limit: number): PlateSampleRow[] {
    return this.sql.list.all(siteId, afterReadId, limit);
  }

  /** Deletes what shows a plate, or was taken for it. */
  forget(siteId: number, plate: string): void {
    this.sql.forget.run({ siteId, plate });
  }

  /** Deletes the oldest from before `before`; answers how many. */
  purge(before: number, limit: number): number {
    return this.sql.purge.run(before, limit).changes;
  }

  /** How many are older than `before`. */
  countExpired(before: number): number {
    return this.sql.countExpired.get(before)?.count ?? 0;
  }

  /** Samples of all households. */
  count(): number {
    return this.sql.count.get()?.count ?? 0;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    put: raw.prepare<[PlateSampleRow]>(
      "INSERT OR REPLACE INTO plate_sample (read_id, site_id, device_id, plate, seen, at, crop) VALUES (@readId, @siteId, @deviceId, @plate, @seen, @at, @crop)",
    ),
    trim: raw.prepare<[object]>(
      `DELETE FROM plate_sample WHERE site_id = @siteId AND read_id <=
         (SELECT read_id FROM plate_sample WHERE site_id = @siteId ORDER BY read_id DESC LIMIT 1 OFFSET @most)`,
    ),
    list: raw.prepare<[number, number, number], PlateSampleRow>(
      `SELECT ${COLUMNS} FROM plate_sample WHERE site_id = ? AND read_id > ? ORDER BY read_id LIMIT ?`,
    ),
    forget: raw.prepare<[object]>(
      "DELETE FROM plate_sample WHERE site_id = @siteId AND (plate = @plate OR seen = @plate)",
    ),
    purge: raw.prepare<[number, number]>(
      "DELETE FROM plate_sample WHERE read_id IN (SELECT read_id FROM plate_sample WHERE at < ? ORDER BY at LIMIT ?)",
    ),
    countExpired: raw.prepare<[number], { count: number }>("SELECT count(*) AS count FROM plate_sample WHERE at < ?"),
    count: raw.prepare<[], { count: number }>("SELECT count(*) AS count FROM plate_sample"),
  };
}
