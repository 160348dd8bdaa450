import { Table } from "../../storage/table.ts";

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
export class MqttQueueTable extends Table {
  /** Every queued message, oldest first. */
  readonly all = this.sql.all<[], MqttQueueRow>(
    "SELECT id, client_id AS clientId, kind, message_id AS messageId, topic, payload, qos, retain, queued_at AS queuedAt, expires_at AS expiresAt FROM mqtt_queue ORDER BY id",
  );

  /** Adds the message, or brings its kind and packet identifier up to date. */
  readonly put = this.sql.run<
    [row: MqttQueueRow]
  >(`INSERT INTO mqtt_queue (id, client_id, kind, message_id, topic, payload, qos, retain, queued_at, expires_at)
       VALUES (@id, @clientId, @kind, @messageId, @topic, @payload, @qos, @retain, @queuedAt, @expiresAt)
       ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, message_id = excluded.message_id, topic = excluded.topic, payload = excluded.payload`);

  /** Removes one message, if it is there. */
  readonly remove = this.sql.run<[id: number]>("DELETE FROM mqtt_queue WHERE id = ?");
}
