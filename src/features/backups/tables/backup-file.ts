import type SqliteDatabase from "better-sqlite3";

/** A file that travels inside a backup. */
export interface BackupFileRow {
  readonly name: string;
  readonly content: Buffer;
}

/** Settings, keys and certificates are far smaller. */
const LARGEST_FILE = 4 * 1_048_576;

/** All SQL of `backup_file`: the table exists in backups only and holds a hub's files besides its database. */
export class BackupFileTable {
  readonly #raw: SqliteDatabase.Database;

  constructor(raw: SqliteDatabase.Database) {
    this.#raw = raw;
  }

  /** Creates the table. */
  create(): void {
    this.#raw.exec("CREATE TABLE backup_file (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT");
  }

  /** Puts a file in. */
  insert(row: BackupFileRow): void {
    this.#raw.prepare<[BackupFileRow]>("INSERT INTO backup_file (name, content) VALUES (@name, @content)").run(row);
  }

  /**
   * The content of a file, or null if there is none of plausible size.
   * @throws SqliteError when the database is not a backup
   */
  content(name: string): Buffer | null {
    // A view of this name could produce contents of any size.
    const kind = this.#raw
      .prepare<[], { type: string }>("SELECT type FROM sqlite_schema WHERE name = 'backup_file'")
      .get()?.type;
    if (kind === "view" || this.#size(name) > LARGEST_FILE) return null;
    return (
      this.#raw.prepare<[string], BackupFileRow>("SELECT * FROM backup_file WHERE name = ?").get(name)?.content ?? null
    );
  }

  #size(name: string): number {
    return (
      this.#raw
        .prepare<[string], { size: number }>("SELECT length(content) AS size FROM backup_file WHERE name = ?")
        .get(name)?.size ?? 0
    );
  }

  /** Drops the table from a copy that becomes a hub's database again. */
  drop(): void {
    this.#raw.exec("DROP TABLE backup_file");
  }
}
