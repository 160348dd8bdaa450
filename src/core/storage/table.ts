import type SqliteDatabase from "better-sqlite3";
import type { Database } from "./database.ts";

/**
 * The statement that gives the next id of a table whose ids are named elsewhere (`api_key:12`): larger than every id
 * that was ever given. The table `hub` keeps the last one as `last_<table>`.
 */
export function nextId(raw: SqliteDatabase.Database, table: "account" | "api_key" | "session") {
  return raw.prepare<[], { id: number }>(
    `UPDATE hub SET value = max(CAST(value AS INTEGER), (SELECT coalesce(max(id), 0) FROM ${table})) + 1
      WHERE key = 'last_${table}' RETURNING CAST(value AS INTEGER) AS id`,
  );
}

/** The base class of a table: its statements are prepared on first use, on the database that it was created with. */
export function tableOf<Statements>(prepare: (raw: SqliteDatabase.Database) => Statements) {
  return class Table {
    protected readonly database: Pick<Database, "raw">;
    #statements: Statements | null = null;

    constructor(database: Pick<Database, "raw">) {
      this.database = database;
    }

    /** The statements. */
    protected get sql(): Statements {
      this.#statements ??= prepare(this.database.raw);
      return this.#statements;
    }
  };
}
