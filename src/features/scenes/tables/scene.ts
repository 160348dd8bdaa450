import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `scene`; `actions` is JSON. */
export interface SceneRow {
  readonly id: number;
  readonly siteId: number;
  readonly name: string;
  readonly icon: string | null;
  readonly actions: string;
  readonly lastActivatedAt: number | null;
  readonly createdAt: number;
}

const COLUMNS = `id, site_id AS siteId, name, icon, actions, last_activated_at AS lastActivatedAt, created_at AS createdAt`;

/** All SQL of `scene`. */
export class SceneTable extends tableOf(prepare) {
  bySite(siteId: number): SceneRow[] {
    return this.sql.bySite.all(siteId);
  }

  byId(siteId: number, id: number): SceneRow | null {
    return this.sql.byId.get(id, siteId) ?? null;
  }

  /** Returns the new scene's id. */
  insert(row: Omit<SceneRow, "id" | "lastActivatedAt">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  update(row: Pick<SceneRow, "id" | "name" | "icon" | "actions">): void {
    this.sql.update.run(row);
  }

  activated(id: number, at: number): void {
    this.sql.activated.run(at, id);
  }

  remove(id: number): void {
    this.sql.remove.run(id);
  }

  count(siteId: number): number {
    return this.sql.count.get(siteId)?.count ?? 0;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    bySite: raw.prepare<[number], SceneRow>(`SELECT ${COLUMNS} FROM scene WHERE site_id = ? ORDER BY id`),
    byId: raw.prepare<[number, number], SceneRow>(`SELECT ${COLUMNS} FROM scene WHERE id = ? AND site_id = ?`),
    insert: raw.prepare<[Omit<SceneRow, "id" | "lastActivatedAt">]>(
      "INSERT INTO scene (site_id, name, icon, actions, created_at) VALUES (@siteId, @name, @icon, @actions, @createdAt)",
    ),
    update: raw.prepare<[Pick<SceneRow, "id" | "name" | "icon" | "actions">]>(
      "UPDATE scene SET name = @name, icon = @icon, actions = @actions WHERE id = @id",
    ),
    activated: raw.prepare<[number, number]>("UPDATE scene SET last_activated_at = ? WHERE id = ?"),
    remove: raw.prepare<[number]>("DELETE FROM scene WHERE id = ?"),
    count: raw.prepare<[number], { count: number }>("SELECT count(*) AS count FROM scene WHERE site_id = ?"),
  };
}
