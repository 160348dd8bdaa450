import { Table } from "../../../core/storage/table.ts";

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
export class RoomTable extends Table {
  readonly #byId = this.sql.statement<[number, number], RoomRow>(
    `SELECT ${COLUMNS} FROM room WHERE id = ? AND site_id = ?`,
  );
  readonly #update = this.sql.statement<[Omit<RoomRow, "siteId">]>(
    "UPDATE room SET name = @name, name_key = @nameKey, icon = @icon, sort = @sort WHERE id = @id",
  );
  readonly #figures = this.sql.statement<[number], { count: number; lastSort: number }>(
    "SELECT count(*) AS count, ifnull(max(sort), -1) AS lastSort FROM room WHERE site_id = ?",
  );

  readonly bySite = this.sql.all<
    [siteId: number],
    RoomRow & { deviceCount: number }
  >(`SELECT ${COLUMNS}, (SELECT count(*) FROM device WHERE device.room_id = room.id) AS deviceCount
       FROM room WHERE site_id = ? ORDER BY sort, id`);

  readonly all = this.sql.all<[], RoomRow>(`SELECT ${COLUMNS} FROM room`);

  readonly byKey = this.sql.first<[siteId: number, nameKey: string], RoomRow>(
    `SELECT ${COLUMNS} FROM room WHERE site_id = ? AND name_key = ?`,
  );

  byId(siteId: number, id: number): RoomRow | null {
    return this.#byId.get(id, siteId) ?? null;
  }

  /** Returns the new room's id. */
  readonly insert = this.sql.insert<[row: Omit<RoomRow, "id">]>(
    "INSERT INTO room (site_id, name, name_key, icon, sort) VALUES (@siteId, @name, @nameKey, @icon, @sort)",
  );

  update(row: Omit<RoomRow, "siteId">): void {
    const { id, name, nameKey, icon, sort } = row;
    this.#update.run({ id, name, nameKey, icon, sort });
  }

  /** Removes a room; its devices stay, without a room (foreign key). */
  readonly remove = this.sql.run<[id: number]>("DELETE FROM room WHERE id = ?");

  /** Number of rooms of a site and the highest sort among them (-1 when there is none). */
  figures(siteId: number): { count: number; lastSort: number } {
    const row = this.#figures.get(siteId);
    return { count: row?.count ?? 0, lastSort: row?.lastSort ?? -1 };
  }
}
