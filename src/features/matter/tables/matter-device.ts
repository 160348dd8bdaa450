import { Table } from "../../../core/storage/table.ts";

/** A row of `matter_device`. */
export interface MatterDeviceRow {
  /** 16 hexadecimal digits. */
  readonly node: string;
  readonly endpoint: number;
  readonly deviceId: string;
  readonly bindingState: "bound" | "gone" | "removed";
  /** JSON object. */
  readonly announcement: string;
}

const COLUMNS = "node, endpoint, device_id AS deviceId, fate AS bindingState, announcement";

/** All SQL of the table `matter_device`. Writing methods belong inside a write job. */
export class MatterDeviceTable extends Table {
  /** Every row, by node and endpoint. */
  readonly all = this.sql.all<[], MatterDeviceRow>(`SELECT ${COLUMNS} FROM matter_device ORDER BY node, endpoint`);

  /** Stores or replaces a row. */
  readonly put = this.sql.run<
    [row: MatterDeviceRow]
  >(`INSERT OR REPLACE INTO matter_device (node, endpoint, device_id, fate, announcement)
       VALUES (@node, @endpoint, @deviceId, @bindingState, @announcement)`);

  /** Forgets one endpoint of a node. */
  readonly remove = this.sql.run<[node: string, endpoint: number]>(
    "DELETE FROM matter_device WHERE node = ? AND endpoint = ?",
  );

  /** Forgets every row of a node. */
  readonly removeNode = this.sql.run<[node: string]>("DELETE FROM matter_device WHERE node = ?");
}
