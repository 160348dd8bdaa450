import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** The row of `series_target`. */
export interface SeriesTargetRow {
  /** JSON. */
  readonly settings: string;
  /** Sealed; null: none. */
  readonly secret: Buffer | null;
}

/** A row of `series_mark`: every sample of the device up to a time (epoch ms) is in the other database. */
export interface SeriesMarkRow {
  readonly deviceId: string;
  readonly sentTo: number;
}

const TARGET_COLUMNS = "settings, secret";
const MARK_COLUMNS = "device_id AS deviceId, sent_to AS sentTo";

/** All SQL of `series_target` and `series_mark`. Writing methods belong inside a write job. */
export class SeriesTable extends tableOf(prepare) {
  /** Null: it was never set up. */
  target(): SeriesTargetRow | null {
    return this.sql.target.get() ?? null;
  }

  putTarget(row: SeriesTargetRow): void {
    this.sql.putTarget.run(row);
  }

  marks(): SeriesMarkRow[] {
    return this.sql.marks.all();
  }

  putMark(row: SeriesMarkRow): void {
    this.sql.putMark.run(row);
  }

  removeMark(deviceId: string): void {
    this.sql.removeMark.run(deviceId);
  }

  removeMarks(): void {
    this.sql.removeMarks.run();
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    target: raw.prepare<[], SeriesTargetRow>(`SELECT ${TARGET_COLUMNS} FROM series_target WHERE id = 1`),
    putTarget: raw.prepare<[SeriesTargetRow]>(
      `INSERT INTO series_target (id, settings, secret) VALUES (1, @settings, @secret)
       ON CONFLICT (id) DO UPDATE SET settings = @settings, secret = @secret`,
    ),
    marks: raw.prepare<[], SeriesMarkRow>(`SELECT ${MARK_COLUMNS} FROM series_mark`),
    putMark: raw.prepare<[SeriesMarkRow]>(
      `INSERT INTO series_mark (device_id, sent_to) VALUES (@deviceId, @sentTo)
       ON CONFLICT (device_id) DO UPDATE SET sent_to = @sentTo`,
    ),
    removeMark: raw.prepare<[string]>("DELETE FROM series_mark WHERE device_id = ?"),
    removeMarks: raw.prepare("DELETE FROM series_mark"),
  };
}
