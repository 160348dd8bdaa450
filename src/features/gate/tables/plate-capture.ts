import type { Direction, Trigger } from "../../../core/plates/reading.ts";
import { Table } from "../../../core/storage/table.ts";

/** A row of `plate_capture`: one burst of a pass that has more than one. Times are epoch milliseconds. */
export interface PlateCaptureRow {
  readonly readId: number;
  readonly captureId: number;
  readonly captureKey: string | null;
  readonly trigger: Trigger;
  readonly at: number;
  readonly direction: Direction | null;
  readonly confidence: number;
  readonly votes: number;
  readonly samples: number;
  readonly storedAt: number;
}

/** Bursts kept of one pass, the latest ones: a parked car is seen all day. */
const MOST = 100;

const COLUMNS = `read_id AS readId, capture_id AS captureId, capture_key AS captureKey, trigger, at, direction, confidence,
  votes, samples, stored_at AS storedAt`;

/** All SQL of the table `plate_capture`. Writing methods belong inside a write job. */
export class PlateCaptureTable extends Table {
  readonly #add = this.sql.statement<
    [PlateCaptureRow]
  >(`INSERT INTO plate_capture (read_id, capture_id, capture_key, trigger, at, direction, confidence, votes, samples, stored_at)
       VALUES (@readId, @captureId, @captureKey, @trigger, @at, @direction, @confidence, @votes, @samples, @storedAt)`);
  readonly #trim = this.sql.statement<[number, number, number]>(`DELETE FROM plate_capture WHERE read_id = ?
         AND id < (SELECT min(id) FROM (SELECT id FROM plate_capture WHERE read_id = ? ORDER BY id DESC LIMIT ?))`);

  /** The bursts of a pass in the order in which they were stored; empty where it has only one. */
  readonly of = this.sql.all<[readId: number], PlateCaptureRow>(
    `SELECT ${COLUMNS} FROM plate_capture WHERE read_id = ? ORDER BY id`,
  );

  /** Lists one more burst. */
  add(row: PlateCaptureRow): void {
    this.#add.run(row);
    this.#trim.run(row.readId, row.readId, MOST);
  }
}
