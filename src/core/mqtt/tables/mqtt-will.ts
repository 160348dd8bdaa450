import { Table } from "../../storage/table.ts";

/** A row of `mqtt_will`: what to publish when the client's connection breaks. */
export interface MqttWillRow {
  readonly clientId: string;
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  readonly retain: number;
}

/** All SQL of the table `mqtt_will`. Writing methods belong inside a write job. */
export class MqttWillTable extends Table {
  /** Every will. */
  readonly all = this.sql.all<[], MqttWillRow>(
    "SELECT client_id AS clientId, topic, payload, qos, retain FROM mqtt_will",
  );

  /** Keeps `row` as the will of its client. */
  readonly put = this.sql.run<
    [row: MqttWillRow]
  >(`INSERT INTO mqtt_will (client_id, topic, payload, qos, retain) VALUES (@clientId, @topic, @payload, @qos, @retain)
       ON CONFLICT (client_id) DO UPDATE SET topic = excluded.topic, payload = excluded.payload, qos = excluded.qos, retain = excluded.retain`);

  /** Forgets the will of a client, if there is one. */
  readonly remove = this.sql.run<[clientId: string]>("DELETE FROM mqtt_will WHERE client_id = ?");
}
