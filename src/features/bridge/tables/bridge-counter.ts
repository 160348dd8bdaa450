import { Table } from "../../../core/storage/table.ts";

/** A row of `bridge_counter`: the progress of one energy counter of a bridged device. */
export interface BridgeCounterRow {
  readonly deviceId: string;
  readonly metric: string;
  /** JSON object. */
  readonly meter: string;
}

const COLUMNS = `device_id AS deviceId, metric, meter`;

/** All SQL of the table `bridge_counter`. Writing methods belong inside a write job. */
export class BridgeCounterTable extends Table {
  /** Every counter. */
  readonly all = this.sql.all<[], BridgeCounterRow>(`SELECT ${COLUMNS} FROM bridge_counter ORDER BY device_id, metric`);

  /** Stores or replaces a counter. */
  readonly put = this.sql.run<[row: BridgeCounterRow]>(
    "INSERT OR REPLACE INTO bridge_counter (device_id, metric, meter) VALUES (@deviceId, @metric, @meter)",
  );

  /** Forgets the counters of a device. */
  readonly removeOf = this.sql.run<[deviceId: string]>("DELETE FROM bridge_counter WHERE device_id = ?");
}
