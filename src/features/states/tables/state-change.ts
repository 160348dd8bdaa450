import { Table } from "../../../core/storage/table.ts";

/** A row of `state_series`. */
export interface StateSeriesRow {
  readonly id: number;
  readonly deviceId: string;
  readonly key: string;
  readonly words: string;
}

/** A row of `state_change`. */
export interface StateChangeRow {
  readonly at: number;
  readonly seriesId: number;
  readonly value: number;
  readonly sender: string | null;
}

/** A row of `state_change` as an array of its columns: there may be very many. */
export type StateChangeCells = readonly [at: number, seriesId: number, value: number, sender: string | null];

/** A row of `state_day`. */
export interface StateDayRow {
  readonly day: number;
  readonly standing: string;
}

/** All SQL of `state_series`, `state_change` and `state_day`. */
export class StateChangeTable extends Table {
  readonly #between = this.sql.arrays<[from: number, to: number, series: string], StateChangeCells>(
    `SELECT at, series_id, value, sender FROM state_change
       WHERE at >= ? AND at < ? AND series_id IN (SELECT value FROM json_each(?)) ORDER BY at, series_id`,
  );
  readonly #all = this.sql.arrays<[from: number, to: number], StateChangeCells>(
    "SELECT at, series_id, value, sender FROM state_change WHERE at >= ? AND at < ? ORDER BY at, series_id",
  );

  readonly series = this.sql.all<[], StateSeriesRow>("SELECT id, device_id AS deviceId, key, words FROM state_series");

  readonly putSeries = this.sql.run<
    [row: StateSeriesRow]
  >(`INSERT INTO state_series (id, device_id, key, words) VALUES (@id, @deviceId, @key, @words)
       ON CONFLICT (id) DO UPDATE SET words = excluded.words`);

  /** Removes some series (ids as JSON). */
  readonly removeSeries = this.sql.run<[series: string]>(
    "DELETE FROM state_series WHERE id IN (SELECT value FROM json_each(?))",
  );

  readonly add = this.sql.run<
    [row: StateChangeRow]
  >(`INSERT INTO state_change (at, series_id, value, sender) VALUES (@at, @seriesId, @value, @sender)
       ON CONFLICT (at, series_id) DO UPDATE SET value = excluded.value, sender = excluded.sender`);

  /** The changes of some series (ids as JSON) from `from` up to before `to`, oldest first. */
  between(from: number, to: number, series: string): StateChangeCells[] {
    return this.#between.all(from, to, series);
  }

  /** All changes from `from` up to before `to`, oldest first. */
  all(from: number, to: number): StateChangeCells[] {
    return this.#all.all(from, to);
  }

  readonly oldestAt = this.sql.value<[], number | null>("SELECT min(at) FROM state_change", null);

  readonly newestAt = this.sql.value<[], number | null>("SELECT max(at) FROM state_change", null);

  readonly count = this.sql.value<[from: number, to: number], number>(
    "SELECT count(*) AS count FROM state_change WHERE at >= ? AND at < ?",
    0,
  );

  /** Removes up to `most` changes from before `before`, the oldest first; returns how many went. */
  readonly purge = this.sql.changes<[before: number, most: number]>(
    `DELETE FROM state_change WHERE (at, series_id) IN
       (SELECT at, series_id FROM state_change WHERE at < ? ORDER BY at, series_id LIMIT ?)`,
  );

  /** Removes the changes of some series (ids as JSON) from `from` up to before `to`. */
  readonly removeBetween = this.sql.run<[from: number, to: number, series: string]>(
    "DELETE FROM state_change WHERE at >= ? AND at < ? AND series_id IN (SELECT value FROM json_each(?))",
  );

  /** The newest day that is not after `day`. */
  readonly dayBefore = this.sql.first<[day: number], StateDayRow>(
    "SELECT day, standing FROM state_day WHERE day <= ? ORDER BY day DESC LIMIT 1",
  );

  readonly putDay = this.sql.run<[row: StateDayRow]>(
    "INSERT OR REPLACE INTO state_day (day, standing) VALUES (@day, @standing)",
  );

  /** Takes a series out of every day; `path` is its place in the JSON. */
  readonly forget = this.sql.run<[path: string]>("UPDATE state_day SET standing = json_remove(standing, ?)");

  readonly purgeDays = this.sql.run<[before: number]>("DELETE FROM state_day WHERE day < ?");
}
