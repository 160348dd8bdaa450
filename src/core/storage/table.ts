import type SqliteDatabase from "better-sqlite3";
import type { Database } from "./database.ts";

/**
 * The SQL of the next id of a table whose ids are named elsewhere (`api_key:12`): larger than every id that was ever
 * given. The table `hub` keeps the last one as `last_<table>`.
 */
export function nextId(table: "account" | "api_key" | "session"): string {
  return `UPDATE hub SET value = max(CAST(value AS INTEGER), (SELECT coalesce(max(id), 0) FROM ${table})) + 1
      WHERE key = 'last_${table}' RETURNING CAST(value AS INTEGER) AS id`;
}

type Raw = Pick<Database, "raw">;
type Parameters = readonly unknown[];

/** Statements of one table. Each is prepared on first use, on the database that the table was created with. */
class Statements {
  readonly #database: Raw;
  /** The SQL of all of them, prepared or not. */
  readonly texts: string[] = [];

  constructor(database: Raw) {
    this.#database = database;
  }

  /** A query for all rows. */
  all<Args extends Parameters, Row>(sql: string): (...args: Args) => Row[] {
    const its = this.#once<Row>(sql);
    return (...args) => its().all(...args);
  }

  /** A query for one row; null if there is none. */
  first<Args extends Parameters, Row>(sql: string): (...args: Args) => Row | null {
    const its = this.#once<Row>(sql);
    return (...args) => its().get(...args) ?? null;
  }

  /** A query for one value: the first column of the first row, `none` where that is missing or null. */
  value<Args extends Parameters, Value>(sql: string, none: Value): (...args: Args) => Value {
    const its = this.#once<Value>(sql, (statement) => statement.pluck());
    return (...args) => its().get(...args) ?? none;
  }

  /** A query for whether there is a row. */
  any<Args extends Parameters>(sql: string): (...args: Args) => boolean {
    const its = this.#once<unknown>(sql);
    return (...args) => its().get(...args) !== undefined;
  }

  /** A change. */
  run<Args extends Parameters>(sql: string): (...args: Args) => void {
    const its = this.#once<unknown>(sql);
    return (...args) => void its().run(...args);
  }

  /** A change that returns how many rows it met. */
  changes<Args extends Parameters>(sql: string): (...args: Args) => number {
    const its = this.#once<unknown>(sql);
    return (...args) => its().run(...args).changes;
  }

  /** A change that returns whether it met a row. */
  changed<Args extends Parameters>(sql: string): (...args: Args) => boolean {
    const its = this.#once<unknown>(sql);
    return (...args) => its().run(...args).changes > 0;
  }

  /** A new row; returns its id. */
  insert<Args extends Parameters>(sql: string): (...args: Args) => number {
    const its = this.#once<unknown>(sql);
    return (...args) => Number(its().run(...args).lastInsertRowid);
  }

  /** A statement for methods that do more with it than one of the others. */
  statement<Args extends unknown[], Row = unknown>(
    sql: string,
  ): Pick<SqliteDatabase.Statement<Args, Row>, "all" | "get" | "iterate" | "run"> {
    const its = this.#once<Row>(sql);
    return {
      all: (...args) => its().all(...args),
      get: (...args) => its().get(...args),
      iterate: (...args) => its().iterate(...args),
      run: (...args) => its().run(...args),
    };
  }

  /** The same, with each row as an array of its columns: where there are very many. */
  arrays<Args extends unknown[], Row>(
    sql: string,
  ): Pick<SqliteDatabase.Statement<Args, Row>, "all" | "get" | "iterate"> {
    const its = this.#once<Row>(sql, (statement) => statement.raw());
    return {
      all: (...args) => its().all(...args),
      get: (...args) => its().get(...args),
      iterate: (...args) => its().iterate(...args),
    };
  }

  #once<Row>(
    sql: string,
    as: (statement: SqliteDatabase.Statement<unknown[], Row>) => SqliteDatabase.Statement<unknown[], Row> = (own) =>
      own,
  ): () => SqliteDatabase.Statement<unknown[], Row> {
    let statement: SqliteDatabase.Statement<unknown[], Row> | null = null;
    this.texts.push(sql);
    return () => (statement ??= as(this.#database.raw.prepare<unknown[], Row>(sql)));
  }
}

/**
 * The base class of a table. Its members are its statements, each named and typed once (features/access/tables/passkey.ts
 * is an example). What changes rows belongs inside a write job.
 */
export abstract class Table {
  protected readonly database: Raw;
  protected readonly sql: Statements;

  constructor(database: Raw) {
    this.database = database;
    this.sql = new Statements(database);
  }

  /** The SQL of its statements. */
  get statements(): readonly string[] {
    return this.sql.texts;
  }
}
