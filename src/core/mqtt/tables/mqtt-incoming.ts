import { Table } from "../../storage/table.ts";

/** A row of `mqtt_incoming`: a QoS 2 message that was received and not yet released. */
export interface MqttIncomingRow {
  readonly clientId: string;
  readonly messageId: number;
}

/** All SQL of the table `mqtt_incoming`. Writing methods belong inside a write job. */
export class MqttIncomingTable extends Table {
  readonly #put = this.sql.statement<[string, number]>(
    "INSERT INTO mqtt_incoming (client_id, message_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  readonly #remove = this.sql.statement<[string, number]>(
    "DELETE FROM mqtt_incoming WHERE client_id = ? AND message_id = ?",
  );

  /** Every identifier that is still held. */
  readonly all = this.sql.all<[], MqttIncomingRow>(
    "SELECT client_id AS clientId, message_id AS messageId FROM mqtt_incoming",
  );

  /** Holds one identifier; holding it twice changes nothing. */
  put(row: MqttIncomingRow): void {
    this.#put.run(row.clientId, row.messageId);
  }

  /** Releases one identifier, if it is held. */
  remove(row: MqttIncomingRow): void {
    this.#remove.run(row.clientId, row.messageId);
  }
}
