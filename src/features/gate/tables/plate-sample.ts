import { Table } from "../../../core/storage/table.ts";

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
export class PlateSampleTable extends Table {
  readonly #put = this.sql.statement<[PlateSampleRow]>(
    "INSERT OR REPLACE INTO plate_sample (read_id, site_id, device_id, plate, seen, at, crop) VALUES (@readId, @siteId, @deviceId, @plate, @seen, @at, @crop)",
  );
  readonly #trim = this.sql.statement<[object]>(`DELETE FROM plate_sample WHERE site_id = @siteId AND read_id <=
         (SELECT read_id FROM plate_sample WHERE site_id = @siteId ORDER BY read_id DESC LIMIT 1 OFFSET @most)`);
  readonly #forget = this.sql.statement<[object]>(
    "DELETE FROM plate_sample WHERE site_id = @siteId AND (plate = @plate OR seen = @plate)",
  );

  /** Keeps a sample, in place of an older one of the read; the oldest of the household beyond `most` go. */
  put(row: PlateSampleRow, most: number): void {
    this.#put.run(row);
    this.#trim.run({ siteId: row.siteId, most });
  }

  /** Those after a read's, in order of the reads. */
  readonly list = this.sql.all<[siteId: number, afterReadId: number, limit: number], PlateSampleRow>(
    `SELECT ${COLUMNS} FROM plate_sample WHERE site_id = ? AND read_id > ? ORDER BY read_id LIMIT ?`,
  );

  /** Deletes what shows a plate, or was taken for it. */
  forget(siteId: number, plate: string): void {
    this.#forget.run({ siteId, plate });
  }

  /** Deletes the oldest from before `before`; answers how many. */
  readonly purge = this.sql.changes<[before: number, limit: number]>(
    "DELETE FROM plate_sample WHERE read_id IN (SELECT read_id FROM plate_sample WHERE at < ? ORDER BY at LIMIT ?)",
  );

  /** How many are older than `before`. */
  readonly countExpired = this.sql.value<[before: number], number>(
    "SELECT count(*) AS count FROM plate_sample WHERE at < ?",
    0,
  );

  /** Samples of all households. */
  readonly count = this.sql.value<[], number>("SELECT count(*) AS count FROM plate_sample", 0);
}
