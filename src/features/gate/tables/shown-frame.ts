import { Table } from "../../../core/storage/table.ts";

/** All SQL of the table `shown_frame`. Writing methods belong inside a write job. */
export class ShownFrameTable extends Table {
  readonly #insert = this.sql.statement<unknown[]>(
    "INSERT INTO shown_frame (device_id, digest) SELECT id, @digest FROM device WHERE id = @deviceId",
  );
  readonly #trim = this.sql.statement<unknown[]>(`DELETE FROM shown_frame WHERE device_id = @deviceId AND id <=
         (SELECT id FROM shown_frame WHERE device_id = @deviceId ORDER BY id DESC LIMIT 1 OFFSET @most)`);

  /** Whether a frame with this digest is noted, of whichever camera. */
  readonly has = this.sql.any<[digest: Buffer]>("SELECT id FROM shown_frame WHERE digest = ? LIMIT 1");

  /** Notes frames of a camera that exists, and forgets its oldest beyond `most`. */
  note(deviceId: string, digests: readonly Buffer[], most: number): void {
    for (const digest of digests) this.#insert.run({ deviceId, digest });
    this.#trim.run({ deviceId, most });
  }
}
