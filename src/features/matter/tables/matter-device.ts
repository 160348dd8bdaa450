import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

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
export class MatterDeviceTable extends tableOf(prepare) {
  /** Every row, by node and endpoint. */
  all(): MatterDeviceRow[] {
    return this.sql.all.all();
  }

  /** Stores or replaces a row. */
  put(row: MatterDeviceRow): void {
    this.sql.put.run(row);
  }

  /** Forgets one endpoint of a node. */
  remove(node: string, endpoint: number): void {
    this.sql.remove.run(node, endpoint);
  }

  /** Forgets every row of a node. */
  removeNode(node: string): void {
    this.sql.removeNode.run(node);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], MatterDeviceRow>(`SELECT ${COLUMNS} FROM matter_device ORDER BY node, endpoint`),
    put: raw.prepare<[MatterDeviceRow]>(
      `INSERT OR REPLACE INTO matter_device (node, endpoint, device_id, fate, announcement)
       VALUES (@node, @endpoint, @deviceId, @bindingState, @announcement)`,
    ),
    remove: raw.prepare<[string, number]>("DELETE FROM matter_device WHERE node = ? AND endpoint = ?"),
    removeNode: raw.prepare<[string]>("DELETE FROM matter_device WHERE node = ?"),
  };
}
