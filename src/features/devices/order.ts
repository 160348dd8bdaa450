import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import { type DevicePlaceRow, DevicePlaceTable } from "./tables/device-place.ts";

/** As people count: 2 before 10. */
const byName = new Intl.Collator("en", { numeric: true });

/**
 * The order in which a household's devices were arranged by hand: one for the whole household, as for rooms. Devices
 * never moved have no position and come after the others, by name.
 */
export class DeviceOrder {
  readonly #database: Database;
  readonly #table: DevicePlaceTable;

  constructor(database: Database) {
    this.#database = database;
    this.#table = new DevicePlaceTable(database);
  }

  /** Ids of the devices that have a place, in their order. */
  list(siteId: number): string[] {
    return this.#table.placed(siteId);
  }

  /**
   * Puts the named devices into the order given, on the places that they hold together now; all others stay where they
   * are. So a room is put in order without a thought for the other rooms. @throws Problem `device_not_found`; nothing
   * changes then.
   */
  async set(siteId: number, ids: readonly string[]): Promise<void> {
    await this.#database.write(() => {
      const now = this.#table.all(siteId).sort(inOrder);
      const wanted = new Set(ids);
      const slots = now.flatMap(({ id }, slot) => (wanted.has(id) ? [slot] : []));
      if (slots.length !== ids.length) throw new Problem("device_not_found", "There is no such device.");
      const next = now.map(({ id }) => id);
      for (const [index, slot] of slots.entries()) next[slot] = ids[index] ?? "";
      const before = new Map(now.map((row) => [row.id, row.place]));
      const last = slots.at(-1) ?? -1;
      // Devices after the last moved one need no position.
      for (const [place, id] of next.entries())
        if (before.get(id) !== place && (place <= last || before.get(id) !== null)) this.#table.set(id, place);
    });
  }
}

function inOrder(a: DevicePlaceRow, b: DevicePlaceRow): number {
  if (a.place !== b.place) return (a.place ?? Number.MAX_SAFE_INTEGER) - (b.place ?? Number.MAX_SAFE_INTEGER);
  return byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}
