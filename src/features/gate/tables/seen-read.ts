import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** All SQL of `seen_read`, and of the reads that its marks refer to. Writing methods belong inside a write job. */
export class SeenReadTable extends tableOf(prepare) {
  /** The last read that a person has looked at; null while nothing is known about the person. */
  upTo(accountId: number): number | null {
    return this.sql.upTo.get(accountId)?.readId ?? null;
  }

  /** The newest read of a site up to an id; null where there is none. */
  newest(siteId: number, upToId: number): number | null {
    return this.sql.newest.get(siteId, upToId)?.id ?? null;
  }

  /** Moves a person's mark; it never goes back. */
  raise(accountId: number, readId: number): void {
    this.sql.raise.run(accountId, readId);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    upTo: raw.prepare<[number], { readId: number }>("SELECT read_id AS readId FROM seen_read WHERE account_id = ?"),
    newest: raw.prepare<[number, number], { id: number }>(
      "SELECT id FROM plate_read WHERE site_id = ? AND id <= ? ORDER BY id DESC LIMIT 1",
    ),
    raise: raw.prepare<[number, number]>(
      `INSERT INTO seen_read (account_id, read_id) VALUES (?, ?)
       ON CONFLICT (account_id) DO UPDATE SET read_id = max(read_id, excluded.read_id)`,
    ),
  };
}
