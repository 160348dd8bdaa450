import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `room`. */
export interface RoomRow {
  readonly id: number;
  readonly siteId: number;
  readonly name: string;
  readonly nameKey: string;
  readonly icon: string;
  readonly sort: number;
}

const COLUMNS = `id, site_id AS siteId, name, name_key AS nameKey, icon, sort`;

/** All SQL of `room`. */
export class RoomTable extends tableOf(prepare) {
  bySite(siteId: number): (RoomRow & { readonly deviceCount: number })[] {
    return this.sql.bySite.all(siteId);
  }

  all(): RoomRow[] {
    return this.sql.all.all();
  }

  byKey(siteId: number, nameKey: string): RoomRow | null {
    return this.sql.byKey.get(siteId, nameKey) ?? null;
  }

  byId(siteId: number, id: number): RoomRow | null {
    return this.sql.byId.get(id, siteId) ?? null;
  }

  /** Returns the new room's id. */
  insert(row: Omit<RoomRow, "id">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  update(row: Omit<RoomRow, "siteId">): void {
    const { id, name, nameKey, icon, sort } = row;
    this.sql.update.run({ id, name, nameKey, icon, sort });
  }

  /** Removes a room; its devices stay, without a room (foreign key). */
  remove(id: number): void {
    this.sql.remove.run(id);
  }

  /** Number of rooms of a site and the highest sort among them (-1 when there is none). */
  figures(siteId: number): { count: number; lastSort: number } {
    const row = this.sql.figures.get(siteId);
    return { count: row?.count ?? 0, lastSort: row?.lastSort ?? -1 };
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    bySite: raw.prepare<[number], RoomRow & { deviceCount: number }>(
      `SELECT ${COLUMNS}, (SELECT count(*) FROM device WHERE device.room_id = room.id) AS deviceCount
       FROM room WHERE site_id = ? ORDER BY sort, id`,
    ),
    all: raw.prepare<[], RoomRow>(`SELECT ${COLUMNS} FROM room`),
    byKey: raw.prepare<[number, string], RoomRow>(`SELECT ${COLUMNS} FROM room WHERE site_id = ? AND name_key = ?`),
    byId: raw.prepare<[number, number], RoomRow>(`SELECT ${COLUMNS} FROM room WHERE id = ? AND site_id = ?`),
    insert: raw.prepare<[Omit<RoomRow, "id">]>(
      "INSERT INTO room (site_id, name, name_key, icon, sort) VALUES (@siteId, @name, @nameKey, @icon, @sort)",
    ),
    update: raw.prepare<[Omit<RoomRow, "siteId">]>(
      "UPDATE room SET name = @name, name_key = @nameKey, icon = @icon, sort = @sort WHERE id = @id",
    ),
    remove: raw.prepare<[number]>("DELETE FROM room WHERE id = ?"),
    figures: raw.prepare<[number], { count: number; lastSort: number }>(
      "SELECT count(*) AS count, ifnull(max(sort), -1) AS lastSort FROM room WHERE site_id = ?",
    ),
  };
}
