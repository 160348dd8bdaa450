import type { HouseMode } from "../../../core/api/house.ts";
import { Table } from "../../../core/storage/table.ts";

/** A row of `house_mode`; `since` is in epoch milliseconds. */
export interface HouseModeRow {
  readonly siteId: number;
  readonly mode: HouseMode;
  readonly since: number;
  /** `session:3`, `automation:12`. */
  readonly actor: string;
  /** Of the person, the scene or the rule at that time; null: not known, or not to be shown. */
  readonly name: string | null;
}

/** All SQL of `house_mode`. Writing methods belong inside a write job. */
export class HouseModeTable extends Table {
  /** What a household has set; null: nothing yet. */
  readonly find = this.sql.first<[siteId: number], HouseModeRow>(
    "SELECT site_id AS siteId, mode, since, actor, name FROM house_mode WHERE site_id = ?",
  );

  readonly put = this.sql.run<
    [row: HouseModeRow]
  >(`INSERT INTO house_mode (site_id, mode, since, actor, name) VALUES (@siteId, @mode, @since, @actor, @name)
       ON CONFLICT (site_id) DO UPDATE SET mode = excluded.mode, since = excluded.since, actor = excluded.actor, name = excluded.name`);
}
