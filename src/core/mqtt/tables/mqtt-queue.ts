import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../storage/table.ts";

/** A row of `mqtt_queue`: a message due to a persistent session. Times are epoch milliseconds. */
export interface MqttQueueRow {
  readonly id: number;
  readonly clientId: string;
  /** `pubrel`: the second half of a QoS 2 delivery; topic and payload are empty then. */
  readonly kind: "publish" | "pubrel";
  /** Packet identifier once the message was sent; null before. */
  readonly messageId: number | null;
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  readonly retain: number;
  readonly queuedAt: number;
  readonly expiresAt: number | null;
}

/** All SQL of the table `mqtt_queue`. Writing methods belong inside a write job. */
export class MqttQueueTable extends tableOf(prepare) {
  /** Every queued message, oldest first. */
  all(): MqttQueueRow[] {
    return this.sql.all.all();
  }

  /** Adds the message, or brings its kind and packet identifier up to date. */
  put(row: MqttQueueRow): void {
    this.sql.put.run(row);
  }

  /** Removes one message, if it is there. */
  remove(id: number): void {
    this.sql.remove.run(id);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], MqttQueueRow>(
      "SELECT id, client_id AS clientId, kind, message_id AS messageId, topic, payload, qos, retain, queued_at AS queuedAt, expires_at AS expiresAt FROM mqtt_queue ORDER BY id",
    ),
    put: raw.prepare<[MqttQueueRow]>(
      `INSERT INTO mqtt_queue (id, client_id, kind, message_id, topic, payload, qos, retain, queued_at, expires_at)
       VALUES (@id, @clientId, @kind, @messageId, @topic, @payload, @qos, @retain, @queuedAt, @expiresAt)
       ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, message_id = excluded.message_id, topic = excluded.topic, payload = excluded.payload`,
    ),
    remove: raw.prepare<[number]>("DELETE FROM mqtt_queue WHERE id = ?"),
  };
}
