import type SqliteDatabase from "better-sqlite3";

/**
 * Calls `failed` with every error that a statement of this connection throws: any part of the hub may read a damaged
 * page, and no caller has to report it itself.
 */
export function watchFailures(raw: SqliteDatabase.Database, failed: (error: unknown) => void): void {
  const guarded = <Given extends unknown[], Result>(
    call: (...given: Given) => Result,
  ): ((...given: Given) => Result) => {
    return (...given) => {
      try {
        return call(...given);
      } catch (error) {
        failed(error);
        throw error;
      }
    };
  };
  const prepare = raw.prepare.bind(raw);
  const watched = (sql: string): SqliteDatabase.Statement => {
    const statement = prepare(sql);
    statement.run = guarded(statement.run.bind(statement));
    statement.get = guarded(statement.get.bind(statement));
    statement.all = guarded(statement.all.bind(statement));
    const iterate = statement.iterate.bind(statement);
    statement.iterate = guarded((...given: unknown[]) => {
      const rows = iterate(...given);
      rows.next = guarded(rows.next.bind(rows));
      return rows;
    });
    return statement;
  };
  raw.prepare = guarded(watched) as typeof raw.prepare; // the types of parameters and rows are the caller's
}
