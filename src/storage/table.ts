import type SqliteDatabase from "better-sqlite3";
import type { Database } from "./database.js";

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
