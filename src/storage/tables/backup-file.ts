import type SqliteDatabase from "better-sqlite3";

/** A file that travels inside a backup. */
export interface BackupFileRow {
  readonly name: string;
  readonly content: Buffer;
}

/** All SQL of `backup_file`: the table exists in backups only and holds what belongs to a hub beside its database. */
export class BackupFileTable {
  readonly #raw: SqliteDatabase.Database;

  constructor(raw: SqliteDatabase.Database) {
    this.#raw = raw;
  }

  /** Makes the table in a fresh copy of a database, which from now on counts as cleanly stopped. */
  create(): void {
    this.#raw.exec("CREATE TABLE backup_file (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT; UPDATE hub SET value = '1' WHERE key = 'clean_stop'");
  }

  /** Puts a file in. */
  insert(row: BackupFileRow): void {
    this.#raw.prepare<[BackupFileRow]>("INSERT INTO backup_file (name, content) VALUES (@name, @content)").run(row);
  }

  /** The content of a file, or null. @throws SqliteError when the database is no backup */
  content(name: string): Buffer | null {
    return this.#raw.prepare<[string], BackupFileRow>("SELECT * FROM backup_file WHERE name = ?").get(name)?.content ?? null;
  }

  /** Takes the table out of a copy that becomes a hub's database again. */
  drop(): void {
    this.#raw.exec("DROP TABLE backup_file");
  }
}
