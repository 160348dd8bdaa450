import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `telemetry_device`: the small number that stands for a device in every telemetry row. */
export interface TelemetryDeviceRow {
  readonly ref: number;
  readonly deviceId: string;
  readonly recent: Buffer;
}

/** All SQL of `telemetry_device` and `telemetry_series`. Writing methods belong inside a write job. */
export class TelemetryDeviceTable extends tableOf(prepare) {
  all(): TelemetryDeviceRow[] {
    return this.sql.all.all();
  }

  /** The device's number; given out on first use. */
  refOf(deviceId: string): number {
    return this.sql.refOf.get(deviceId)?.ref ?? missing("telemetry_device");
  }

  /** Keeps the packed list of the device's last messages. */
  setRecent(ref: number, recent: Buffer): void {
    this.sql.setRecent.run(recent, ref);
  }

  allSeries(): { id: number; device: number; metric: string }[] {
    return this.sql.allSeries.all();
  }

  /** The number of the series (device, metric); given out on first use. */
  seriesOf(ref: number, metric: string): number {
    return this.sql.seriesOf.get(ref, metric)?.id ?? missing("telemetry_series");
  }

  /** Forgets the device and the names of its series. */
  remove(ref: number): void {
    this.sql.removeSeries.run(ref);
    this.sql.remove.run(ref);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], TelemetryDeviceRow>("SELECT ref, device_id AS deviceId, recent FROM telemetry_device"),
    refOf: raw.prepare<[string], { ref: number }>(
      "INSERT INTO telemetry_device (device_id) VALUES (?) ON CONFLICT (device_id) DO UPDATE SET device_id = excluded.device_id RETURNING ref",
    ),
    setRecent: raw.prepare<[Buffer, number]>("UPDATE telemetry_device SET recent = ? WHERE ref = ?"),
    remove: raw.prepare<[number]>("DELETE FROM telemetry_device WHERE ref = ?"),
    allSeries: raw.prepare<[], { id: number; device: number; metric: string }>(
      "SELECT id, device, metric FROM telemetry_series",
    ),
    seriesOf: raw.prepare<[number, string], { id: number }>(
      "INSERT INTO telemetry_series (device, metric) VALUES (?, ?) ON CONFLICT (device, metric) DO UPDATE SET metric = excluded.metric RETURNING id",
    ),
    removeSeries: raw.prepare<[number]>("DELETE FROM telemetry_series WHERE device = ?"),
  };
}

function missing(table: string): never {
  throw new Error(`${table}: an upsert returned no row`);
}
