import { Table } from "../table.ts";

/** All SQL of the table `hub`: a few facts about the host. Writing methods belong inside a write job. */
export class HubTable extends Table {
  /** The value under `key`, or null. */
  readonly get = this.sql.value<[key: string], string | null>("SELECT value FROM hub WHERE key = ?", null);

  /** Stores a value under `key`. */
  readonly set = this.sql.run<[key: string, value: string]>(
    "INSERT INTO hub (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
}
