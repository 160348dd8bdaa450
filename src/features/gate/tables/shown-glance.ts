import { Table } from "../../../core/storage/table.ts";

/** A row of `shown_glance`: a frame with a listed plate, small. Places and widths are shares of the frame's. */
export interface ShownGlanceRow {
  readonly readId: number;
  readonly deviceId: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly pixels: Buffer;
}

/** All SQL of the table `shown_glance`. Writing methods belong inside a write job. */
export class ShownGlanceTable extends Table {
  readonly #insert = this.sql.statement<unknown[]>(
    "INSERT INTO shown_glance (read_id, device_id, x, y, width, pixels) VALUES (@readId, @deviceId, @x, @y, @width, @pixels)",
  );
  readonly #count = this.sql.statement<[readId: number], { count: number }>(
    "SELECT count(*) AS count FROM shown_glance WHERE read_id = ?",
  );
  readonly #trim = this.sql.statement<unknown[]>(`DELETE FROM shown_glance WHERE device_id = @deviceId AND id <=
         (SELECT id FROM shown_glance WHERE device_id = @deviceId ORDER BY id DESC LIMIT 1 OFFSET @most)`);

  /** Frames of a household's reads of a plate in which it stands near a place, of all cameras, the latest first. */
  readonly near = this.sql.all<
    [
      {
        siteId: number;
        plate: string;
        left: number;
        right: number;
        top: number;
        bottom: number;
        narrowest: number;
        widest: number;
        most: number;
      },
    ],
    ShownGlanceRow
  >(`SELECT g.read_id AS readId, g.device_id AS deviceId, g.x, g.y, g.width, g.pixels
       FROM plate_read r JOIN shown_glance g ON g.read_id = r.id
      WHERE r.site_id = @siteId AND r.plate = @plate AND g.x BETWEEN @left AND @right AND g.y BETWEEN @top AND @bottom
        AND g.width BETWEEN @narrowest AND @widest ORDER BY r.at DESC LIMIT @most`);

  /** Keeps frames of a read, `each` of one read and `most` of a camera. */
  note(readId: number, rows: readonly ShownGlanceRow[], { each, most }: { each: number; most: number }): void {
    const room = each - (this.#count.get(readId)?.count ?? 0);
    for (const row of rows.slice(0, Math.max(0, room))) this.#insert.run(row);
    const [first] = rows;
    if (first !== undefined) this.#trim.run({ deviceId: first.deviceId, most });
  }
}
