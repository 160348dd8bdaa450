import { Table } from "../../../core/storage/table.ts";

/** A pass as JSON, and the plate of its read as it stands now; null where the read is gone, or was not noted. */
export interface StoredLanePass {
  readonly pass: string;
  readonly plate: string | null;
}

/** All SQL of the table `lane_pass`. Writing methods belong inside a write job. */
export class LanePassTable extends Table {
  readonly #insert = this.sql.statement<unknown[]>(
    "INSERT INTO lane_pass (device_id, pass) SELECT id, @pass FROM device WHERE id = @deviceId",
  );
  readonly #trim = this.sql.statement<unknown[]>(`DELETE FROM lane_pass WHERE device_id = @deviceId AND id <=
         (SELECT id FROM lane_pass WHERE device_id = @deviceId ORDER BY id DESC LIMIT 1 OFFSET @most)`);

  /** Passes of a camera, the oldest first. */
  readonly of = this.sql.all<[deviceId: string], StoredLanePass>(
    `SELECT pass, plate FROM lane_pass LEFT JOIN plate_read ON plate_read.id = json_extract(pass, '$.readId')
     WHERE lane_pass.device_id = ? ORDER BY lane_pass.id`,
  );

  /** Forgets what a camera has learned: it looks elsewhere now. */
  readonly forget = this.sql.run<[deviceId: string]>("DELETE FROM lane_pass WHERE device_id = ?");

  /** Notes a pass of a camera that exists, and forgets its oldest beyond `most`. */
  note(deviceId: string, pass: string, most: number): void {
    this.#insert.run({ deviceId, pass });
    this.#trim.run({ deviceId, most });
  }
}
