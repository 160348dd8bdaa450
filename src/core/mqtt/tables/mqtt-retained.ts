import { Table } from "../../storage/table.ts";

/** A row of `mqtt_retained`: the last retained message of a topic. */
export interface MqttRetainedRow {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  /** The client of the bridge that left it; null: a native device, or unknown. */
  readonly publisher: string | null;
}

/** All SQL of the table `mqtt_retained`. Writing methods belong inside a write job. */
export class MqttRetainedTable extends Table {
  readonly #put = this.sql.statement<
    [string, Buffer, number, string | null]
  >(`INSERT INTO mqtt_retained (topic, payload, qos, publisher) VALUES (?, ?, ?, ?)
       ON CONFLICT (topic) DO UPDATE SET payload = excluded.payload, qos = excluded.qos, publisher = excluded.publisher`);

  /** Every retained message, by topic. */
  readonly all = this.sql.all<[], MqttRetainedRow>(
    "SELECT topic, payload, qos, publisher FROM mqtt_retained ORDER BY topic",
  );

  /** Keeps `row` as the retained message of its topic. */
  put(row: MqttRetainedRow): void {
    this.#put.run(row.topic, row.payload, row.qos, row.publisher);
  }

  /** Forgets the retained message of `topic`, if there is one. */
  readonly remove = this.sql.run<[topic: string]>("DELETE FROM mqtt_retained WHERE topic = ?");
}
