import type { HouseMode } from "../../../core/api/house.ts";
import { Table } from "../../../core/storage/table.ts";

/** A row of `scene`; `actions` is JSON. */
export interface SceneRow {
  readonly id: number;
  readonly siteId: number;
  readonly name: string;
  readonly icon: string | null;
  readonly actions: string;
  /** What it also sets the house to; null: nothing. */
  readonly houseMode: HouseMode | null;
  readonly lastActivatedAt: number | null;
  readonly createdAt: number;
}

const COLUMNS = `id, site_id AS siteId, name, icon, actions, house_mode AS houseMode, last_activated_at AS lastActivatedAt, created_at AS createdAt`;

/** All SQL of `scene`. */
export class SceneTable extends Table {
  readonly #byId = this.sql.statement<[number, number], SceneRow>(
    `SELECT ${COLUMNS} FROM scene WHERE id = ? AND site_id = ?`,
  );
  readonly #activated = this.sql.statement<[number, number]>("UPDATE scene SET last_activated_at = ? WHERE id = ?");

  readonly bySite = this.sql.all<[siteId: number], SceneRow>(
    `SELECT ${COLUMNS} FROM scene WHERE site_id = ? ORDER BY id`,
  );

  byId(siteId: number, id: number): SceneRow | null {
    return this.#byId.get(id, siteId) ?? null;
  }

  /** Returns the new scene's id. */
  readonly insert = this.sql.insert<[row: Omit<SceneRow, "id" | "lastActivatedAt">]>(
    "INSERT INTO scene (site_id, name, icon, actions, house_mode, created_at) VALUES (@siteId, @name, @icon, @actions, @houseMode, @createdAt)",
  );

  readonly update = this.sql.run<[row: Pick<SceneRow, "id" | "name" | "icon" | "actions" | "houseMode">]>(
    "UPDATE scene SET name = @name, icon = @icon, actions = @actions, house_mode = @houseMode WHERE id = @id",
  );

  activated(id: number, at: number): void {
    this.#activated.run(at, id);
  }

  readonly remove = this.sql.run<[id: number]>("DELETE FROM scene WHERE id = ?");

  readonly count = this.sql.value<[siteId: number], number>("SELECT count(*) AS count FROM scene WHERE site_id = ?", 0);
}
