import { Table } from "../../../core/storage/table.ts";

/** One backup at one destination, written or failed. Times are epoch milliseconds. */
export interface BackupRow {
  readonly id: number;
  readonly at: number;
  readonly reason: "schedule" | "person" | "command";
  readonly destination: string;
  /** Absolute path; null when it failed. */
  readonly file: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly encrypted: 0 | 1;
  readonly version: string;
  /** Why it failed, in English; null when it was written. */
  readonly problem: string | null;
  /** `problem` as JSON `{code, …values}`; null where there is only the English. */
  readonly words: string | null;
}

const COLUMNS = `id, at, reason, destination, file, bytes, sha256, encrypted, version, problem, words`;

/** One rehearsal of a restore. */
export interface RehearsalRow {
  readonly at: number;
  readonly backupId: number | null;
  readonly ok: 0 | 1;
  readonly text: string;
  /** `text` as JSON `{code, …values}`; null where there is only the English. */
  readonly words: string | null;
  readonly tookMs: number;
}

/**
 * All SQL of the tables `backup`, `backup_rehearsal` and `backup_secret`. Writing methods belong inside a write job.
 */
export class BackupTable extends Table {
  readonly #insert = this.sql.statement<
    [Omit<BackupRow, "id">]
  >(`INSERT INTO backup (at, reason, destination, file, bytes, sha256, encrypted, version, problem, words)
       VALUES (@at, @reason, @destination, @file, @bytes, @sha256, @encrypted, @version, @problem, @words)`);
  readonly #insertRehearsal = this.sql.statement<[RehearsalRow]>(
    "INSERT INTO backup_rehearsal (at, backup_id, ok, text, words, took_ms) VALUES (@at, @backupId, @ok, @text, @words, @tookMs)",
  );
  readonly #trimRehearsals = this.sql.statement<unknown[]>(
    "DELETE FROM backup_rehearsal WHERE id <= (SELECT max(id) - 50 FROM backup_rehearsal)",
  );
  readonly #setSecret = this.sql.statement<[string, Buffer]>(
    "INSERT INTO backup_secret (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed",
  );
  readonly #forgetSecret = this.sql.statement<[string]>("DELETE FROM backup_secret WHERE name = ?");

  /** Newest first. */
  readonly list = this.sql.all<[], BackupRow>(`SELECT ${COLUMNS} FROM backup ORDER BY at DESC, id DESC LIMIT 500`);

  readonly get = this.sql.first<[id: number], BackupRow>(`SELECT ${COLUMNS} FROM backup WHERE id = ?`);

  insert(row: Omit<BackupRow, "id">): BackupRow {
    const { lastInsertRowid } = this.#insert.run(row);
    return { id: Number(lastInsertRowid), ...row };
  }

  readonly delete = this.sql.run<[id: number]>("DELETE FROM backup WHERE id = ?");

  /** Drops failures older than `before`: they have been read by then. */
  readonly deleteFailures = this.sql.run<[before: number]>("DELETE FROM backup WHERE file IS NULL AND at < ?");

  readonly lastRehearsal = this.sql.first<[], RehearsalRow>(
    "SELECT at, backup_id AS backupId, ok, text, words, took_ms AS tookMs FROM backup_rehearsal ORDER BY id DESC LIMIT 1",
  );

  /** Stores a rehearsal and drops all but the last fifty. */
  insertRehearsal(row: RehearsalRow): void {
    this.#insertRehearsal.run(row);
    this.#trimRehearsals.run();
  }

  /** A sealed secret, or null. */
  readonly secret = this.sql.value<[name: string], Buffer | null>(
    "SELECT sealed FROM backup_secret WHERE name = ?",
    null,
  );

  /** Keeps a sealed secret; null forgets it. */
  setSecret(name: string, sealed: Buffer | null): void {
    if (sealed === null) this.#forgetSecret.run(name);
    else this.#setSecret.run(name, sealed);
  }
}
