import type SqliteDatabase from "better-sqlite3";

/** All SQL of `telemetry_journal`. Writing methods belong inside a write job. */
export class TelemetryJournalTable {
  readonly #append;
  readonly #all;
  readonly #removeUpTo;
  readonly #remove;

  constructor(raw: SqliteDatabase.Database) {
    this.#append = raw.prepare<[Buffer]>("INSERT INTO telemetry_journal (samples) VALUES (?)");
    this.#all = raw.prepare<[], { id: number; samples: Buffer }>("SELECT id, samples FROM telemetry_journal ORDER BY id");
    this.#removeUpTo = raw.prepare<[number]>("DELETE FROM telemetry_journal WHERE id <= ?");
    this.#remove = raw.prepare<[number]>("DELETE FROM telemetry_journal WHERE id = ?");
  }

  /** Appends the samples of one group commit; returns the row's id, higher than those of all rows there are. */
  append(samples: Buffer): number {
    return Number(this.#append.run(samples).lastInsertRowid);
  }

  /** All rows, oldest first, one at a time. */
  all(): IterableIterator<{ id: number; samples: Buffer }> {
    return this.#all.iterate();
  }

  /** Removes one row. */
  remove(id: number): void {
    this.#remove.run(id);
  }

  /** Removes what has been compacted. */
  removeUpTo(id: number): void {
    this.#removeUpTo.run(id);
  }
}
