import { Table } from "../../../core/storage/table.ts";

/** A row of `telemetry_device`: the small number that stands for a device in every telemetry row. */
export interface TelemetryDeviceRow {
  readonly ref: number;
  readonly deviceId: string;
  readonly recent: Buffer;
}

/** All SQL of `telemetry_device` and `telemetry_series`. Writing methods belong inside a write job. */
export class TelemetryDeviceTable extends Table {
  readonly #refOf = this.sql.statement<[string], { ref: number }>(
    "INSERT INTO telemetry_device (device_id) VALUES (?) ON CONFLICT (device_id) DO UPDATE SET device_id = excluded.device_id RETURNING ref",
  );
  readonly #setRecent = this.sql.statement<[Buffer, number]>("UPDATE telemetry_device SET recent = ? WHERE ref = ?");
  readonly #remove = this.sql.statement<[number]>("DELETE FROM telemetry_device WHERE ref = ?");
  readonly #seriesOf = this.sql.statement<[number, string], { id: number }>(
    "INSERT INTO telemetry_series (device, metric) VALUES (?, ?) ON CONFLICT (device, metric) DO UPDATE SET metric = excluded.metric RETURNING id",
  );
  readonly #removeSeries = this.sql.statement<[number]>("DELETE FROM telemetry_series WHERE device = ?");

  readonly all = this.sql.all<[], TelemetryDeviceRow>(
    "SELECT ref, device_id AS deviceId, recent FROM telemetry_device",
  );

  /** The device's number; given out on first use. */
  refOf(deviceId: string): number {
    return this.#refOf.get(deviceId)?.ref ?? missing("telemetry_device");
  }

  /** Keeps the packed list of the device's last messages. */
  setRecent(ref: number, recent: Buffer): void {
    this.#setRecent.run(recent, ref);
  }

  readonly allSeries = this.sql.all<[], { id: number; device: number; metric: string }>(
    "SELECT id, device, metric FROM telemetry_series",
  );

  /** The number of the series (device, metric); given out on first use. */
  seriesOf(ref: number, metric: string): number {
    return this.#seriesOf.get(ref, metric)?.id ?? missing("telemetry_series");
  }

  /** Forgets the device and the names of its series. */
  remove(ref: number): void {
    this.#removeSeries.run(ref);
    this.#remove.run(ref);
  }
}

function missing(table: string): never {
  throw new Error(`${table}: an upsert returned no row`);
}
