import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../storage/table.ts";

/** A row of `mqtt_will`: what to publish when the client's connection breaks. */
export interface MqttWillRow {
  readonly clientId: string;
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  readonly retain: number;
}

/** All SQL of the table `mqtt_will`. Writing methods belong inside a write job. */
export class MqttWillTable extends tableOf(prepare) {
  /** Every will. */
  all(): MqttWillRow[] {
    return this.sql.all.all();
  }

  /** Keeps `row` as the will of its client. */
  put(row: MqttWillRow): void {
    this.sql.put.run(row);
  }

  /** Forgets the will of a client, if there is one. */
  remove(clientId: string): void {
    this.sql.remove.run(clientId);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], MqttWillRow>("SELECT client_id AS clientId, topic, payload, qos, retain FROM mqtt_will"),
    put: raw.prepare<[MqttWillRow]>(
      `INSERT INTO mqtt_will (client_id, topic, payload, qos, retain) VALUES (@clientId, @topic, @payload, @qos, @retain)
       ON CONFLICT (client_id) DO UPDATE SET topic = excluded.topic, payload = excluded.payload, qos = excluded.qos, retain = excluded.retain`,
    ),
    remove: raw.prepare<[string]>("DELETE FROM mqtt_will WHERE client_id = ?"),
  };
}
