import type { Whereabouts } from "../../../core/api/house.ts";
import { Table } from "../../../core/storage/table.ts";
import type { PresenceSource } from "../rules/presence.ts";

/** A row of `presence_source`; `at` is in epoch milliseconds. */
export interface PresenceSourceRow {
  readonly accountId: number;
  readonly source: PresenceSource;
  /** The plate, the id of the device; null: by hand. */
  readonly names: string | null;
  /** Null: nothing yet. */
  readonly says: Whereabouts | null;
  readonly at: number | null;
}

const COLUMNS = "account_id AS accountId, source, names, says, at";

/** All SQL of `presence_source`. Writing methods belong inside a write job. */
export class PresenceSourceTable extends Table {
  readonly all = this.sql.all<[], PresenceSourceRow>(
    `SELECT ${COLUMNS} FROM presence_source ORDER BY account_id, source`,
  );

  readonly ofPerson = this.sql.all<[accountId: number], PresenceSourceRow>(
    `SELECT ${COLUMNS} FROM presence_source WHERE account_id = ? ORDER BY source`,
  );

  /** Those that name this plate or this device. */
  readonly naming = this.sql.all<[source: PresenceSource, names: string], PresenceSourceRow>(
    `SELECT ${COLUMNS} FROM presence_source WHERE source = ? AND names = ? ORDER BY account_id`,
  );

  readonly put = this.sql.run<
    [row: PresenceSourceRow]
  >(`INSERT INTO presence_source (account_id, source, names, says, at) VALUES (@accountId, @source, @names, @says, @at)
       ON CONFLICT (account_id, source) DO UPDATE SET names = excluded.names, says = excluded.says, at = excluded.at`);

  readonly remove = this.sql.run<[accountId: number, source: PresenceSource]>(
    "DELETE FROM presence_source WHERE account_id = ? AND source = ?",
  );
}
