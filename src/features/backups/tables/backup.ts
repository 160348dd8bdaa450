import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

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
  /** What `problem` says, as JSON `{code, …values}`; null where there is only the English. */
  readonly words: string | null;
}

const COLUMNS = `id, at, reason, destination, file, bytes, sha256, encrypted, version, problem, words`;

/** One rehearsal of a restore. */
export interface RehearsalRow {
  readonly at: number;
  readonly backupId: number | null;
  readonly ok: 0 | 1;
  readonly text: string;
  /** What `text` says, as JSON `{code, …values}`; null where there is only the English. */
  readonly words: string | null;
  readonly tookMs: number;
}

/**
 * All SQL of the tables `backup`, `backup_rehearsal` and `backup_secret`. Writing methods belong inside a write job.
 */
export class BackupTable extends tableOf(prepare) {
  /** Newest first. */
  list(): BackupRow[] {
    return this.sql.list.all();
  }

  get(id: number): BackupRow | null {
    return this.sql.get.get(id) ?? null;
  }

  insert(row: Omit<BackupRow, "id">): BackupRow {
    const { lastInsertRowid } = this.sql.insert.run(row);
    return { id: Number(lastInsertRowid), ...row };
  }

  delete(id: number): void {
    this.sql.delete.run(id);
  }

  /** Drops failures older than `before`: they have been read by then. */
  deleteFailures(before: number): void {
    this.sql.deleteFailures.run(before);
  }

  lastRehearsal(): RehearsalRow | null {
    return this.sql.lastRehearsal.get() ?? null;
  }

  /** Stores a rehearsal and drops all but the last fifty. */
  insertRehearsal(row: RehearsalRow): void {
    this.sql.insertRehearsal.run(row);
    this.sql.trimRehearsals.run();
  }

  /** A sealed secret, or null. */
  secret(name: string): Buffer | null {
    return this.sql.secret.get(name)?.sealed ?? null;
  }

  /** Keeps a sealed secret; null forgets it. */
  setSecret(name: string, sealed: Buffer | null): void {
    if (sealed === null) this.sql.forgetSecret.run(name);
    else this.sql.setSecret.run(name, sealed);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    list: raw.prepare<[], BackupRow>(`SELECT ${COLUMNS} FROM backup ORDER BY at DESC, id DESC LIMIT 500`),
    get: raw.prepare<[number], BackupRow>(`SELECT ${COLUMNS} FROM backup WHERE id = ?`),
    insert: raw.prepare<[Omit<BackupRow, "id">]>(
      `INSERT INTO backup (at, reason, destination, file, bytes, sha256, encrypted, version, problem, words)
       VALUES (@at, @reason, @destination, @file, @bytes, @sha256, @encrypted, @version, @problem, @words)`,
    ),
    delete: raw.prepare<[number]>("DELETE FROM backup WHERE id = ?"),
    deleteFailures: raw.prepare<[number]>("DELETE FROM backup WHERE file IS NULL AND at < ?"),
    lastRehearsal: raw.prepare<[], RehearsalRow>(
      "SELECT at, backup_id AS backupId, ok, text, words, took_ms AS tookMs FROM backup_rehearsal ORDER BY id DESC LIMIT 1",
    ),
    insertRehearsal: raw.prepare<[RehearsalRow]>(
      "INSERT INTO backup_rehearsal (at, backup_id, ok, text, words, took_ms) VALUES (@at, @backupId, @ok, @text, @words, @tookMs)",
    ),
    trimRehearsals: raw.prepare("DELETE FROM backup_rehearsal WHERE id <= (SELECT max(id) - 50 FROM backup_rehearsal)"),
    secret: raw.prepare<[string], { sealed: Buffer }>("SELECT sealed FROM backup_secret WHERE name = ?"),
    setSecret: raw.prepare<[string, Buffer]>(
      "INSERT INTO backup_secret (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed",
    ),
    forgetSecret: raw.prepare<[string]>("DELETE FROM backup_secret WHERE name = ?"),
  };
}
