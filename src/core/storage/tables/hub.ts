import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../table.ts";

/** All SQL of the table `hub`: a few facts about the box itself. Writing methods belong inside a write job. */
export class HubTable extends tableOf(prepare) {
  /** The value under `key`, or null. */
  get(key: string): string | null {
    return this.sql.get.get(key)?.value ?? null;
  }

  /** Stores a value under `key`. */
  set(key: string, value: string): void {
    this.sql.set.run(key, value);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    get: raw.prepare<[string], { value: string }>("SELECT value FROM hub WHERE key = ?"),
    set: raw.prepare<[string, string]>(
      "INSERT INTO hub (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
  };
}
