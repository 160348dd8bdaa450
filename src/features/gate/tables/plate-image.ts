import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `plate_image`: the picture of a read is on disk. */
export interface PlateImageRow {
  readonly readId: number;
  readonly bytes: number;
  /** Time of the read, epoch milliseconds. */
  readonly at: number;
}

/** All SQL of the table `plate_image`. Writing methods belong inside a write job. */
export class PlateImageTable extends tableOf(prepare) {
  /** Notes that the file is there. */
  put(row: PlateImageRow): void {
    this.sql.put.run(row);
  }

  /** Forgets pictures; their files are removed afterwards. */
  remove(readIds: readonly number[]): void {
    for (const id of readIds) this.sql.remove.run(id);
  }

  /** Reads whose pictures are older than `before`, oldest first. */
  expired(before: number, limit: number): number[] {
    return this.sql.expired.all(before, limit).map((row) => row.readId);
  }

  /** How many pictures are older than `before`. */
  countExpired(before: number): number {
    return this.sql.countExpired.get(before)?.count ?? 0;
  }

  /** All reads with pictures. */
  ids(): number[] {
    return this.sql.ids.all().map((row) => row.readId);
  }

  /** Number of pictures and their bytes. */
  total(): { readonly count: number; readonly bytes: number } {
    return this.sql.total.get() ?? { count: 0, bytes: 0 };
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    put: raw.prepare<[PlateImageRow]>(
      "INSERT OR REPLACE INTO plate_image (read_id, bytes, at) VALUES (@readId, @bytes, @at)",
    ),
    remove: raw.prepare<[number]>("DELETE FROM plate_image WHERE read_id = ?"),
    expired: raw.prepare<[number, number], { readId: number }>(
      "SELECT read_id AS readId FROM plate_image WHERE at < ? ORDER BY at LIMIT ?",
    ),
    countExpired: raw.prepare<[number], { count: number }>("SELECT count(*) AS count FROM plate_image WHERE at < ?"),
    ids: raw.prepare<[], { readId: number }>("SELECT read_id AS readId FROM plate_image"),
    total: raw.prepare<[], { count: number; bytes: number }>(
      "SELECT count(*) AS count, ifnull(sum(bytes), 0) AS bytes FROM plate_image",
    ),
  };
}
