import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** What matters of a device for its place in the household's order. */
export interface DevicePlaceRow {
  readonly id: string;
  readonly name: string;
  readonly place: number | null;
}

/** All SQL of the order of devices. */
export class DevicePlaceTable extends tableOf(prepare) {
  /** Ids of the devices that have a place, in their order. */
  placed(siteId: number): string[] {
    return this.sql.placed.all(siteId).map(({ id }) => id);
  }

  all(siteId: number): DevicePlaceRow[] {
    return this.sql.all.all(siteId);
  }

  set(id: string, place: number): void {
    this.sql.set.run(place, id);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    placed: raw.prepare<[number], { id: string }>(
      "SELECT id FROM device WHERE site_id = ? AND place IS NOT NULL ORDER BY place, id",
    ),
    all: raw.prepare<[number], DevicePlaceRow>("SELECT id, name, place FROM device WHERE site_id = ?"),
    set: raw.prepare<[number, string]>("UPDATE device SET place = ? WHERE id = ?"),
  };
}
