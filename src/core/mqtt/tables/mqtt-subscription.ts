import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../storage/table.ts";

/** A row of `mqtt_subscription`: one topic filter of a persistent session. */
export interface MqttSubscriptionRow {
  readonly clientId: string;
  readonly topic: string;
  readonly qos: number;
}

/** All SQL of the table `mqtt_subscription`. Writing methods belong inside a write job. */
export class MqttSubscriptionTable extends tableOf(prepare) {
  /** Every subscription of every persistent session. */
  all(): MqttSubscriptionRow[] {
    return this.sql.all.all();
  }

  /** Adds the subscription or changes its QoS. */
  put(row: MqttSubscriptionRow): void {
    this.sql.put.run(row.clientId, row.topic, row.qos);
  }

  /** Removes one subscription, if it is there. */
  remove(clientId: string, topic: string): void {
    this.sql.remove.run(clientId, topic);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], MqttSubscriptionRow>(
      "SELECT client_id AS clientId, topic, qos FROM mqtt_subscription ORDER BY client_id, topic",
    ),
    put: raw.prepare<[string, string, number]>(
      "INSERT INTO mqtt_subscription (client_id, topic, qos) VALUES (?, ?, ?) ON CONFLICT (client_id, topic) DO UPDATE SET qos = excluded.qos",
    ),
    remove: raw.prepare<[string, string]>("DELETE FROM mqtt_subscription WHERE client_id = ? AND topic = ?"),
  };
}
