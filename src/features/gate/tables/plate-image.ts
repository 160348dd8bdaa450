import { Table } from "../../../core/storage/table.ts";

/** A row of `plate_image`: the picture of a read is on disk. */
export interface PlateImageRow {
  readonly readId: number;
  readonly bytes: number;
  /** Time of the read, epoch milliseconds. */
  readonly at: number;
  /** Where the plate is: JSON [x1, y1, x2, y2] as shares of width and height; null where that is not known. */
  readonly box: string | null;
}

/** All SQL of the table `plate_image`. Writing methods belong inside a write job. */
export class PlateImageTable extends Table {
  readonly #remove = this.sql.statement<[number]>("DELETE FROM plate_image WHERE read_id = ?");
  readonly #expired = this.sql.statement<[number, number], { readId: number }>(
    "SELECT read_id AS readId FROM plate_image WHERE at < ? ORDER BY at LIMIT ?",
  );
  readonly #ids = this.sql.statement<[], { readId: number }>("SELECT read_id AS readId FROM plate_image");
  readonly #total = this.sql.statement<[], { count: number; bytes: number }>(
    "SELECT count(*) AS count, ifnull(sum(bytes), 0) AS bytes FROM plate_image",
  );

  /** Notes that the file is there. */
  readonly put = this.sql.run<[row: PlateImageRow]>(
    "INSERT OR REPLACE INTO plate_image (read_id, bytes, at, box) VALUES (@readId, @bytes, @at, @box)",
  );

  /** Where the plate of a read is in its picture, as {@link PlateImageRow.box}; null without a picture, too. */
  readonly box = this.sql.value<[readId: number], string | null>("SELECT box FROM plate_image WHERE read_id = ?", null);

  /** The camera's newest read that has a picture. */
  readonly newest = this.sql.first<[siteId: number, deviceId: string], { readId: number; at: number }>(
    `SELECT plate_read.id AS readId, plate_read.at FROM plate_read CROSS JOIN plate_image ON read_id = plate_read.id
     WHERE site_id = ? AND device_id = ? ORDER BY plate_read.at DESC, plate_read.id DESC LIMIT 1`,
  );

  /** Forgets pictures; their files are removed afterwards. */
  remove(readIds: readonly number[]): void {
    for (const id of readIds) this.#remove.run(id);
  }

  /** Reads whose pictures are older than `before`, oldest first. */
  expired(before: number, limit: number): number[] {
    return this.#expired.all(before, limit).map((row) => row.readId);
  }

  /** How many pictures are older than `before`. */
  readonly countExpired = this.sql.value<[before: number], number>(
    "SELECT count(*) AS count FROM plate_image WHERE at < ?",
    0,
  );

  /** All reads with pictures. */
  ids(): number[] {
    return this.#ids.all().map((row) => row.readId);
  }

  /** Number of pictures and their bytes. */
  total(): { readonly count: number; readonly bytes: number } {
    return this.#total.get() ?? { count: 0, bytes: 0 };
  }
}
