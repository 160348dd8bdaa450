import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** All SQL of the table `shown_frame`. Writing methods belong inside a write job. */
export class ShownFrameTable extends tableOf(prepare) {
  /** Whether a frame with this digest is noted. */
  has(deviceId: string, digest: Buffer): boolean {
    return this.sql.has.get(deviceId, digest) !== undefined;
  }

  /** Notes frames of a camera that exists, and forgets its oldest beyond `most`. */
  note(deviceId: string, digests: readonly Buffer[], most: number): void {
    for (const digest of digests) this.sql.insert.run({ deviceId, digest });
    this.sql.trim.run({ deviceId, most });
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    has: raw.prepare<[string, Buffer], { id: number }>(
      "SELECT id FROM shown_frame WHERE device_id = ? AND digest = ? LIMIT 1",
    ),
    insert: raw.prepare(
      "INSERT INTO shown_frame (device_id, digest) SELECT id, @digest FROM device WHERE id = @deviceId",
    ),
    trim: raw.prepare(
      `DELETE FROM shown_frame WHERE device_id = @deviceId AND id <=
         (SELECT id FROM shown_frame WHERE device_id = @deviceId ORDER BY id DESC LIMIT 1 OFFSET @most)`,
    ),
  };
}
