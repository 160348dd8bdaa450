import { Table } from "../../../core/storage/table.ts";

/** All SQL of `seen_read`, and of the reads that its marks refer to. Writing methods belong inside a write job. */
export class SeenReadTable extends Table {
  /** The last read that a person has looked at; null while nothing is known about the person. */
  readonly upTo = this.sql.value<[accountId: number], number | null>(
    "SELECT read_id AS readId FROM seen_read WHERE account_id = ?",
    null,
  );

  /** The newest read of a site up to an id; null where there is none. */
  readonly newest = this.sql.value<[siteId: number, upToId: number], number | null>(
    "SELECT id FROM plate_read WHERE site_id = ? AND id <= ? ORDER BY id DESC LIMIT 1",
    null,
  );

  /** Moves a person's mark; it never goes back. */
  readonly raise = this.sql.run<
    [accountId: number, readId: number]
  >(`INSERT INTO seen_read (account_id, read_id) VALUES (?, ?)
       ON CONFLICT (account_id) DO UPDATE SET read_id = max(read_id, excluded.read_id)`);
}
