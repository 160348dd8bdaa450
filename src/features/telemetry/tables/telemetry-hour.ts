import { Table } from "../../../core/storage/table.ts";

/** The four quarters of one hour as [count, sum, max, min] × 4. */
type HourQuarters = readonly number[] | Float64Array;

/** Watt-hours of the four quarters; NaN where unknown. */
type HourEnergy = ArrayLike<number>;

/** The known values of a quarter hour; minimum and watt-hours are null if unknown. */
export interface QuarterValues {
  readonly count: number;
  readonly sum: number;
  readonly max: number;
  readonly min: number | null;
  readonly wattHours: number | null;
}

/** An hour since the epoch, with its four quarters. */
export interface HourRow {
  readonly hour: number;
  readonly quarters: readonly QuarterValues[];
}

const QUARTERS = [0, 1, 2, 3];
const NOTHING = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
const COLUMNS = QUARTERS.flatMap((q) => [`count${q}`, `sum${q}`, `max${q}`, `min${q}`, `wh${q}`]).join(", ");
const SERIES = "(SELECT id FROM telemetry_series WHERE device = ? AND metric = ?)";

type SqlQuarter = [count: number, sum: number, max: number, min: number | null, wattHours: number | null];
/** The hour, and {@link COLUMNS}. */
type SqlRow = [hour: number, ...SqlQuarter, ...SqlQuarter, ...SqlQuarter, ...SqlQuarter];

/** Column by column: thousands of rows are read for one answer. */
function hourRow(row: SqlRow): HourRow {
  const quarters: HourRow["quarters"] = [
    { count: row[1], sum: row[2], max: row[3], min: row[4], wattHours: row[5] },
    { count: row[6], sum: row[7], max: row[8], min: row[9], wattHours: row[10] },
    { count: row[11], sum: row[12], max: row[13], min: row[14], wattHours: row[15] },
    { count: row[16], sum: row[17], max: row[18], min: row[19], wattHours: row[20] },
  ];
  return { hour: row[0], quarters };
}

/** All SQL of `telemetry_hour`. Writing methods belong inside a write job. */
export class TelemetryHourTable extends Table {
  // A minimum or an integral that is unknown for one part remains unknown for the whole.
  readonly #add = this.sql.statement<(number | null)[]>(
    `INSERT INTO telemetry_hour (series, hour, ${COLUMNS}) VALUES (?, ?${", ?".repeat(20)}) ON CONFLICT (series, hour) DO UPDATE SET ${QUARTERS.map(
      (q) => `
         max${q} = CASE WHEN count${q} = 0 THEN excluded.max${q} WHEN excluded.count${q} = 0 THEN max${q} ELSE max(max${q}, excluded.max${q}) END,
         min${q} = CASE WHEN count${q} = 0 THEN excluded.min${q} WHEN excluded.count${q} = 0 THEN min${q} ELSE min(min${q}, excluded.min${q}) END,
         wh${q} = CASE WHEN count${q} > 0 AND min${q} IS NULL THEN NULL WHEN wh${q} IS NULL THEN excluded.wh${q} ELSE wh${q} + ifnull(excluded.wh${q}, 0) END,
         count${q} = count${q} + excluded.count${q}, sum${q} = sum${q} + excluded.sum${q}`,
    ).join(",")}`,
  );
  readonly #rows = this.sql.arrays<[number, string, number, number], SqlRow>(
    `SELECT hour, ${COLUMNS} FROM telemetry_hour WHERE series = ${SERIES} AND hour BETWEEN ? AND ? ORDER BY hour`,
  );
  readonly #latest = this.sql.arrays<[number, string, number], SqlRow>(
    `SELECT hour, ${COLUMNS} FROM telemetry_hour WHERE series = ${SERIES} AND hour < ? AND count0 + count1 + count2 + count3 > 0 ORDER BY hour DESC LIMIT 1`,
  );
  readonly #removeBefore = this.sql.statement<[number, number, number, number]>(
    "DELETE FROM telemetry_hour WHERE series = ? AND hour IN (SELECT hour FROM telemetry_hour WHERE series = ? AND hour < ? ORDER BY hour LIMIT ?)",
  );

  /** Adds to the roll-up of one series and hour. */
  add(series: number, hour: number, quarters: HourQuarters, wattHours: HourEnergy = NOTHING): void {
    const values = QUARTERS.flatMap((q) => {
      const [count = 0, sum = 0, max = 0, min = 0] = quarters.slice(q * 4, q * 4 + 4);
      const energy = wattHours[q] ?? Number.NaN;
      return [count, sum, max, min, Number.isNaN(energy) ? null : energy];
    });
    this.#add.run(series, hour, ...values);
  }

  /** The rows of one metric in [fromHour, toHour], ascending. */
  rowsBetween(device: number, metric: string, fromHour: number, toHour: number): HourRow[] {
    return this.#rows.all(device, metric, fromHour, toHour).map(hourRow);
  }

  /** The last row with samples from before an hour; null when there is none. */
  latestBefore(device: number, metric: string, hour: number): HourRow | null {
    const row = this.#latest.get(device, metric, hour);
    return row === undefined ? null : hourRow(row);
  }

  /** Removes up to `most` rows of a series from before an hour, the oldest first; returns how many went. */
  removeBefore(series: number, hour: number, most = Number.MAX_SAFE_INTEGER): number {
    return this.#removeBefore.run(series, series, hour, most).changes;
  }

  /** Removes one row. */
  readonly remove = this.sql.run<[series: number, hour: number]>(
    "DELETE FROM telemetry_hour WHERE series = ? AND hour = ?",
  );

  /** How many rows of a series are from before an hour. */
  readonly countBefore = this.sql.value<[series: number, hour: number], number>(
    "SELECT count(*) AS rows FROM telemetry_hour WHERE series = ? AND hour < ?",
    0,
  );

  /** The first hour kept of a series; null when there is none. */
  readonly oldest = this.sql.value<[series: number], number | null>(
    "SELECT hour FROM telemetry_hour WHERE series = ? ORDER BY hour LIMIT 1",
    null,
  );

  readonly rows = this.sql.value<[], number>("SELECT count(*) AS rows FROM telemetry_hour", 0);
}
