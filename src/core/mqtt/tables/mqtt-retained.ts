import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../storage/table.ts";

/** A row of `mqtt_retained`: the last retained message of a topic. */
export interface MqttRetainedRow {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  /** The client of the bridge that left it; null: a native device, or unknown. */
  readonly publisher: string | null;
}

/** All SQL of the table `mqtt_retained`. Writing methods belong inside a write job. */
export class MqttRetainedTable extends tableOf(prepare) {
  /** Every retained message, by topic. */
  all(): MqttRetainedRow[] {
    return this.sql.all.all();
  }

  /** Keeps `row` as the retained message of its topic. */
  put(row: MqttRetainedRow): void {
    this.sql.put.run(row.topic, row.payload, row.qos, row.publisher);
  }

  /** Forgets the retained message of `topic`, if there is one. */
  remove(topic: string): void {
    this.sql.remove.run(topic);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], MqttRetainedRow>("SELECT topic, payload, qos, publisher FROM mqtt_retained ORDER BY topic"),
    put: raw.prepare<[string, Buffer, number, string | null]>(
      `INSERT INTO mqtt_retained (topic, payload, qos, publisher) VALUES (?, ?, ?, ?)
       ON CONFLICT (topic) DO UPDATE SET payload = excluded.payload, qos = excluded.qos, publisher = excluded.publisher`,
    ),
    remove: raw.prepare<[string]>("DELETE FROM mqtt_retained WHERE topic = ?"),
  };
}
