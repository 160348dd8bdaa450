import { Table } from "../../../core/storage/table.ts";

/** All SQL of `telemetry_journal`. Writing methods belong inside a write job. */
export class TelemetryJournalTable extends Table {
  readonly #all = this.sql.statement<[], { id: number; samples: Buffer }>(
    "SELECT id, samples FROM telemetry_journal ORDER BY id",
  );

  /** Appends the samples of one group commit; returns the row's id, which is higher than all ids there are. */
  readonly append = this.sql.insert<[samples: Buffer]>("INSERT INTO telemetry_journal (samples) VALUES (?)");

  /** All rows, oldest first, one at a time. */
  all(): IterableIterator<{ id: number; samples: Buffer }> {
    return this.#all.iterate();
  }

  /** Removes one row. */
  readonly remove = this.sql.run<[id: number]>("DELETE FROM telemetry_journal WHERE id = ?");

  /** Removes what has been compacted. */
  readonly removeUpTo = this.sql.run<[id: number]>("DELETE FROM telemetry_journal WHERE id <= ?");
}
