import { Table } from "../../storage/table.ts";

/** A row of `mqtt_subscription`: one topic filter of a persistent session. */
export interface MqttSubscriptionRow {
  readonly clientId: string;
  readonly topic: string;
  readonly qos: number;
}

/** All SQL of the table `mqtt_subscription`. Writing methods belong inside a write job. */
export class MqttSubscriptionTable extends Table {
  readonly #put = this.sql.statement<[string, string, number]>(
    "INSERT INTO mqtt_subscription (client_id, topic, qos) VALUES (?, ?, ?) ON CONFLICT (client_id, topic) DO UPDATE SET qos = excluded.qos",
  );

  /** Every subscription of every persistent session. */
  readonly all = this.sql.all<[], MqttSubscriptionRow>(
    "SELECT client_id AS clientId, topic, qos FROM mqtt_subscription ORDER BY client_id, topic",
  );

  /** Adds the subscription or changes its QoS. */
  put(row: MqttSubscriptionRow): void {
    this.#put.run(row.clientId, row.topic, row.qos);
  }

  /** Removes one subscription, if it is there. */
  readonly remove = this.sql.run<[clientId: string, topic: string]>(
    "DELETE FROM mqtt_subscription WHERE client_id = ? AND topic = ?",
  );
}
