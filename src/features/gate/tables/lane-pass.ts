import { Table } from "../../../core/storage/table.ts";

/** All SQL of the table `lane_pass`. Writing methods belong inside a write job. */
export class LanePassTable extends Table {
  readonly #insert = this.sql.statement<unknown[]>(
    "INSERT INTO lane_pass (device_id, pass) SELECT id, @pass FROM device WHERE id = @deviceId",
  );
  readonly #trim = this.sql.statement<unknown[]>(`DELETE FROM lane_pass WHERE device_id = @deviceId AND id <=
         (SELECT id FROM lane_pass WHERE device_id = @deviceId ORDER BY id DESC LIMIT 1 OFFSET @most)`);
  readonly #of = this.sql.all<[deviceId: string], { pass: string }>(
    "SELECT pass FROM lane_pass WHERE device_id = ? ORDER BY id",
  );

  /** Forgets what a camera has learned: it looks elsewhere now. */
  readonly forget = this.sql.run<[deviceId: string]>("DELETE FROM lane_pass WHERE device_id = ?");

  /** Passes of a camera as JSON, the oldest first. */
  of(deviceId: string): string[] {
    return this.#of(deviceId).map(({ pass }) => pass);
  }

  /** Notes a pass of a camera that exists, and forgets its oldest beyond `most`. */
  note(deviceId: string, pass: string, most: number): void {
    this.#insert.run({ deviceId, pass });
    this.#trim.run({ deviceId, most });
  }
}
