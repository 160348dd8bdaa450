import { Table } from "../../../core/storage/table.ts";

/** A row of `bridge_device`: a firmware family's state of one device, and its device of the hub. */
export interface BridgeDeviceRow {
  readonly family: string;
  readonly key: string;
  readonly deviceId: string;
  readonly bindingState: "bound" | "shadowed" | "gone" | "removed";
  readonly clientId: number | null;
  readonly mqttClientId: string | null;
  /** JSON object. */
  readonly announcement: string;
  /** JSON object. */
  readonly memo: string;
  /** When the binding state changed, epoch milliseconds. */
  readonly changedAt: number;
}

/** All SQL of the table `bridge_device`. Writing methods belong inside a write job. */
export class BridgeDeviceTable extends Table {
  readonly #find = this.sql.statement<[string, string], BridgeDeviceRow>(`${SELECT} WHERE family = ? AND key = ?`);

  /** Every row, by family and key. */
  readonly all = this.sql.all<[], BridgeDeviceRow>(`${SELECT} ORDER BY family, key`);

  /** The row of a family's device. */
  find(family: string, key: string): BridgeDeviceRow | undefined {
    return this.#find.get(family, key);
  }

  /** The rows of one of the hub's devices: several families may know it. */
  readonly ofDevice = this.sql.all<[deviceId: string], BridgeDeviceRow>(`${SELECT} WHERE device_id = ?`);

  /** Stores or replaces a row. */
  readonly put = this.sql.run<
    [row: BridgeDeviceRow]
  >(`INSERT OR REPLACE INTO bridge_device (family, key, device_id, fate, client_id, mqtt_client_id, announcement, memo, changed_at)
       VALUES (@family, @key, @deviceId, @bindingState, @clientId, @mqttClientId, @announcement, @memo, @changedAt)`);

  /** Forgets a family's device. */
  readonly remove = this.sql.run<[family: string, key: string]>(
    "DELETE FROM bridge_device WHERE family = ? AND key = ?",
  );
}

const SELECT = `SELECT family, key, device_id AS deviceId, fate AS bindingState, client_id AS clientId, mqtt_client_id AS mqttClientId, announcement, memo,
       changed_at AS changedAt FROM bridge_device`;
