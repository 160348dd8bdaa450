import type SqliteDatabase from "better-sqlite3";

/** A row of `room`. */
export interface RoomRow {
  readonly id: number;
  readonly site_id: number;
  readonly name: string;
  readonly name_key: string;
  readonly icon: string;
  readonly sort: number;
}

/** All SQL of `room`. */
export class RoomTable {
  readonly #bySite;
  readonly #all;
  readonly #byKey;
  readonly #byId;
  readonly #insert;
  readonly #update;
  readonly #remove;
  readonly #figures;

  constructor(raw: SqliteDatabase.Database) {
    this.#bySite = raw.prepare<[number], RoomRow & { device_count: number }>(
      `SELECT room.*, (SELECT count(*) FROM device WHERE device.room_id = room.id) AS device_count
       FROM room WHERE site_id = ? ORDER BY sort, id`,
    );
    this.#all = raw.prepare<[], RoomRow>("SELECT * FROM room");
    this.#byKey = raw.prepare<[number, string], RoomRow>("SELECT * FROM room WHERE site_id = ? AND name_key = ?");
    this.#byId = raw.prepare<[number, number], RoomRow>("SELECT * FROM room WHERE id = ? AND site_id = ?");
    this.#insert = raw.prepare<[Omit<RoomRow, "id">]>(
      "INSERT INTO room (site_id, name, name_key, icon, sort) VALUES (:site_id, :name, :name_key, :icon, :sort)",
    );
    this.#update = raw.prepare<[Omit<RoomRow, "site_id">]>("UPDATE room SET name = :name, name_key = :name_key, icon = :icon, sort = :sort WHERE id = :id");
    this.#remove = raw.prepare<[number]>("DELETE FROM room WHERE id = ?");
    this.#figures = raw.prepare<[number], { count: number; last_sort: number }>(
      "SELECT count(*) AS count, ifnull(max(sort), -1) AS last_sort FROM room WHERE site_id = ?",
    );
  }

  bySite(siteId: number): (RoomRow & { readonly device_count: number })[] {
    return this.#bySite.all(siteId);
  }

  all(): RoomRow[] {
    return this.#all.all();
  }

  byKey(siteId: number, nameKey: string): RoomRow | null {
    return this.#byKey.get(siteId, nameKey) ?? null;
  }

  byId(siteId: number, id: number): RoomRow | null {
    return this.#byId.get(id, siteId) ?? null;
  }

  /** Returns the new room's id. */
  insert(row: Omit<RoomRow, "id">): number {
    return Number(this.#insert.run(row).lastInsertRowid);
  }

  update(row: Omit<RoomRow, "site_id">): void {
    const { id, name, name_key, icon, sort } = row;
    this.#update.run({ id, name, name_key, icon, sort });
  }

  /** Removes a room; its devices stay, without a room (foreign key). */
  remove(id: number): void {
    this.#remove.run(id);
  }

  /** Number of rooms of a site and the highest sort among them (-1 when there is none). */
  figures(siteId: number): { count: number; lastSort: number } {
    const row = this.#figures.get(siteId);
    return { count: row?.count ?? 0, lastSort: row?.last_sort ?? -1 };
  }
}
