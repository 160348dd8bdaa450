import type SqliteDatabase from "better-sqlite3";
import type { Direction, Trigger } from "../../../core/plates/reading.ts";
import { tableOf } from "../../../core/storage/table.ts";

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
export class PlateCaptureTable extends tableOf(prepare) {
  /** The bursts of a pass in the order in which they were stored; empty where it has only one. */
  of(readId: number): PlateCaptureRow[] {
    return this.sql.of.all(readId);
  }

  /** Lists one more burst. */
  add(row: PlateCaptureRow): void {
    this.sql.add.run(row);
    this.sql.trim.run(row.readId, row.readId, MOST);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    of: raw.prepare<[number], PlateCaptureRow>(`SELECT ${COLUMNS} FROM plate_capture WHERE read_id = ? ORDER BY id`),
    add: raw.prepare<[PlateCaptureRow]>(
      `INSERT INTO plate_capture (read_id, capture_id, capture_key, trigger, at, direction, confidence, votes, samples, stored_at)
       VALUES (@readId, @captureId, @captureKey, @trigger, @at, @direction, @confidence, @votes, @samples, @storedAt)`,
    ),
    trim: raw.prepare<[number, number, number]>(
      `DELETE FROM plate_capture WHERE read_id = ?
         AND id < (SELECT min(id) FROM (SELECT id FROM plate_capture WHERE read_id = ? ORDER BY id DESC LIMIT ?))`,
    ),
  };
}
