import type SqliteDatabase from "better-sqlite3";

/** A row of `telemetry_device`: the small number that stands for a device in every telemetry row. */
export interface TelemetryDeviceRow {
  readonly ref: number;
  readonly deviceId: string;
  readonly recent: Buffer;
}

/** All SQL of `telemetry_device` and `telemetry_series`. Writing methods belong inside a write job. */
export class TelemetryDeviceTable {
  readonly #all;
  readonly #refOf;
  readonly #setRecent;
  readonly #remove;
  readonly #allSeries;
  readonly #seriesOf;
  readonly #removeSeries;

  constructor(raw: SqliteDatabase.Database) {
    this.#all = raw.prepare<[], TelemetryDeviceRow>("SELECT ref, device_id AS deviceId, recent FROM telemetry_device");
    this.#refOf = raw.prepare<[string], { ref: number }>(
      "INSERT INTO telemetry_device (device_id) VALUES (?) ON CONFLICT (device_id) DO UPDATE SET device_id = excluded.device_id RETURNING ref",
    );
    this.#setRecent = raw.prepare<[Buffer, number]>("UPDATE telemetry_device SET recent = ? WHERE ref = ?");
    this.#remove = raw.prepare<[number]>("DELETE FROM telemetry_device WHERE ref = ?");
    this.#allSeries = raw.prepare<[], { id: number; device: number; metric: string }>("SELECT id, device, metric FROM telemetry_series");
    this.#seriesOf = raw.prepare<[number, string], { id: number }>(
      "INSERT INTO telemetry_series (device, metric) VALUES (?, ?) ON CONFLICT (device, metric) DO UPDATE SET metric = excluded.metric RETURNING id",
    );
    this.#removeSeries = raw.prepare<[number]>("DELETE FROM telemetry_series WHERE device = ?");
  }

  all(): TelemetryDeviceRow[] {
    return this.#all.all();
  }

  /** The device's number; given out on first use. */
  refOf(deviceId: string): number {
    return this.#refOf.get(deviceId)?.ref ?? missing("telemetry_device");
  }

  /** Keeps the packed list of the device's last messages. */
  setRecent(ref: number, recent: Buffer): void {
    this.#setRecent.run(recent, ref);
  }

  allSeries(): { id: number; device: number; metric: string }[] {
    return this.#allSeries.all();
  }

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
