import type SqliteDatabase from "better-sqlite3";

/** The four quarters of one hour as [count, sum, max] × 4. */
export type HourQuarters = readonly number[] | Float64Array;

const QUARTERS = [0, 1, 2, 3];

/** All SQL of `telemetry_hour`. Writing methods belong inside a write job. */
export class TelemetryHourTable {
  readonly #add;
  readonly #range;
  readonly #removeBefore;
  readonly #countBefore;
  readonly #remove;
  readonly #count;
  readonly #oldest;

  constructor(raw: SqliteDatabase.Database) {
    this.#add = raw.prepare<number[]>(
      `INSERT INTO telemetry_hour VALUES (?, ?${", ?".repeat(12)}) ON CONFLICT (series, hour) DO UPDATE SET ${QUARTERS.map(
        (q) => `
         max${q} = CASE WHEN count${q} = 0 THEN excluded.max${q} WHEN excluded.count${q} = 0 THEN max${q} ELSE max(max${q}, excluded.max${q}) END,
         count${q} = count${q} + excluded.count${q}, sum${q} = sum${q} + excluded.sum${q}`,
      ).join(",")}`,
    );
    this.#range = raw
      .prepare<[number, string, number, number], number[]>(
        `SELECT hour, ${QUARTERS.map((q) => `count${q}, sum${q}, max${q}`).join(", ")} FROM telemetry_hour
         WHERE series = (SELECT id FROM telemetry_series WHERE device = ? AND metric = ?) AND hour BETWEEN ? AND ? ORDER BY hour`,
      )
      .raw();
    this.#removeBefore = raw.prepare<[number, number, number, number]>(
      "DELETE FROM telemetry_hour WHERE series = ? AND hour IN (SELECT hour FROM telemetry_hour WHERE series = ? AND hour < ? ORDER BY hour LIMIT ?)",
    );
    this.#remove = raw.prepare<[number, number]>("DELETE FROM telemetry_hour WHERE series = ? AND hour = ?");
    this.#countBefore = raw.prepare<[number, number], { rows: number }>("SELECT count(*) AS rows FROM telemetry_hour WHERE series = ? AND hour < ?");
    this.#count = raw.prepare<[], { rows: number }>("SELECT count(*) AS rows FROM telemetry_hour");
    this.#oldest = raw.prepare<[number], { hour: number }>("SELECT hour FROM telemetry_hour WHERE series = ? ORDER BY hour LIMIT 1");
  }

  /** Adds to the roll-up of one series and hour. */
  add(series: number, hour: number, quarters: HourQuarters): void {
    this.#add.run(series, hour, ...quarters);
  }

  /** Rows `[hour, count0, sum0, max0, count1, …]` of one metric in [fromHour, toHour], ascending. */
  range(device: number, metric: string, fromHour: number, toHour: number): number[][] {
    return this.#range.all(device, metric, fromHour, toHour);
  }

  /** Removes up to `most` rows of a series from before an hour, the oldest first; returns how many went. */
  removeBefore(series: number, hour: number, most = Number.MAX_SAFE_INTEGER): number {
    return this.#removeBefore.run(series, series, hour, most).changes;
  }

  /** Removes one row. */
  remove(series: number, hour: number): void {
    this.#remove.run(series, hour);
  }

  /** How many rows of a series are from before an hour. */
  countBefore(series: number, hour: number): number {
    return this.#countBefore.get(series, hour)?.rows ?? 0;
  }

  /** The first hour kept of a series; null when there is none. */
  oldest(series: number): number | null {
    return this.#oldest.get(series)?.hour ?? null;
  }

  rows(): number {
    return this.#count.get()?.rows ?? 0;
  }
}
