import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `bridge_counter`: how far one energy counter of a bridged device has come. */
export interface BridgeCounterRow {
  readonly deviceId: string;
  readonly metric: string;
  /** JSON object. */
  readonly meter: string;
}

const COLUMNS = `device_id AS deviceId, metric, meter`;

/** All SQL of the table `bridge_counter`. Writing methods belong inside a write job. */
export class BridgeCounterTable extends tableOf(prepare) {
  /** Every counter. */
  all(): BridgeCounterRow[] {
    return this.sql.all.all();
  }

  /** Stores or replaces a counter. */
  put(row: BridgeCounterRow): void {
    this.sql.put.run(row);
  }

  /** Forgets the counters of a device. */
  removeOf(deviceId: string): void {
    this.sql.removeOf.run(deviceId);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], BridgeCounterRow>(`SELECT ${COLUMNS} FROM bridge_counter ORDER BY device_id, metric`),
    put: raw.prepare<[BridgeCounterRow]>(
      "INSERT OR REPLACE INTO bridge_counter (device_id, metric, meter) VALUES (@deviceId, @metric, @meter)",
    ),
    removeOf: raw.prepare<[string]>("DELETE FROM bridge_counter WHERE device_id = ?"),
  };
}
