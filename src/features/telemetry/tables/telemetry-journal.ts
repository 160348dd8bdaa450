import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** All SQL of `telemetry_journal`. Writing methods belong inside a write job. */
export class TelemetryJournalTable extends tableOf(prepare) {
  /** Appends the samples of one group commit; returns the row's id, which is higher than all ids there are. */
  append(samples: Buffer): number {
    return Number(this.sql.append.run(samples).lastInsertRowid);
  }

  /** All rows, oldest first, one at a time. */
  all(): IterableIterator<{ id: number; samples: Buffer }> {
    return this.sql.all.iterate();
  }

  /** Removes one row. */
  remove(id: number): void {
    this.sql.remove.run(id);
  }

  /** Removes what has been compacted. */
  removeUpTo(id: number): void {
    this.sql.removeUpTo.run(id);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    append: raw.prepare<[Buffer]>("INSERT INTO telemetry_journal (samples) VALUES (?)"),
    all: raw.prepare<[], { id: number; samples: Buffer }>("SELECT id, samples FROM telemetry_journal ORDER BY id"),
    removeUpTo: raw.prepare<[number]>("DELETE FROM telemetry_journal WHERE id <= ?"),
    remove: raw.prepare<[number]>("DELETE FROM telemetry_journal WHERE id = ?"),
  };
}
