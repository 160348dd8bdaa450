import { Table } from "../../../core/storage/table.ts";

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
export class SeriesTable extends Table {
  /** Null: it was never set up. */
  readonly target = this.sql.first<[], SeriesTargetRow>(`SELECT ${TARGET_COLUMNS} FROM series_target WHERE id = 1`);

  readonly putTarget = this.sql.run<
    [row: SeriesTargetRow]
  >(`INSERT INTO series_target (id, settings, secret) VALUES (1, @settings, @secret)
       ON CONFLICT (id) DO UPDATE SET settings = @settings, secret = @secret`);

  readonly marks = this.sql.all<[], SeriesMarkRow>(`SELECT ${MARK_COLUMNS} FROM series_mark`);

  readonly putMark = this.sql.run<
    [row: SeriesMarkRow]
  >(`INSERT INTO series_mark (device_id, sent_to) VALUES (@deviceId, @sentTo)
       ON CONFLICT (device_id) DO UPDATE SET sent_to = @sentTo`);

  readonly removeMark = this.sql.run<[deviceId: string]>("DELETE FROM series_mark WHERE device_id = ?");

  readonly removeMarks = this.sql.run<[]>("DELETE FROM series_mark");
}
