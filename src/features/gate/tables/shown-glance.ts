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

/** Where a plate stands in a frame that is kept. */
export type ShownPlace = Omit<ShownGlanceRow, "pixels"> & { readonly id: number };

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

  /** Where a plate stood in every frame that is kept of a household's reads of it, at all cameras. */
  readonly places = this.sql.all<[siteId: number, plate: string], ShownPlace>(
    `SELECT g.id, g.read_id AS readId, g.device_id AS deviceId, g.x, g.y, g.width
       FROM plate_read r JOIN shown_glance g ON g.read_id = r.id WHERE r.site_id = ? AND r.plate = ?`,
  );

  readonly #pixels = this.sql.first<[id: number], Pick<ShownGlanceRow, "pixels">>(
    "SELECT pixels FROM shown_glance WHERE id = ?",
  );

  /** A kept frame's brightnesses; empty if it has gone since. */
  pixelsOf(id: number): Buffer {
    return this.#pixels(id)?.pixels ?? Buffer.alloc(0);
  }

  /** Keeps frames of a read, `each` of one read and `most` of a camera. */
  note(readId: number, rows: readonly ShownGlanceRow[], { each, most }: { each: number; most: number }): void {
    const room = each - (this.#count.get(readId)?.count ?? 0);
    for (const row of rows.slice(0, Math.max(0, room))) this.#insert.run(row);
    const [first] = rows;
    if (first !== undefined) this.#trim.run({ deviceId: first.deviceId, most });
  }
}
