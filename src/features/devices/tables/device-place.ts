import { Table } from "../../../core/storage/table.ts";

/** What matters of a device for its place in the household's order. */
export interface DevicePlaceRow {
  readonly id: string;
  readonly name: string;
  readonly place: number | null;
}

/** All SQL of the order of devices. */
export class DevicePlaceTable extends Table {
  readonly #placed = this.sql.statement<[number], { id: string }>(
    "SELECT id FROM device WHERE site_id = ? AND place IS NOT NULL ORDER BY place, id",
  );
  readonly #set = this.sql.statement<[number, string]>("UPDATE device SET place = ? WHERE id = ?");

  /** Ids of the devices that have a place, in their order. */
  placed(siteId: number): string[] {
    return this.#placed.all(siteId).map(({ id }) => id);
  }

  readonly all = this.sql.all<[siteId: number], DevicePlaceRow>("SELECT id, name, place FROM device WHERE site_id = ?");

  set(id: string, place: number): void {
    this.#set.run(place, id);
  }
}
