import { type Occupancy, occupancyOf } from "../../core/plates/occupancy.ts";
import type { GateTables } from "./tables.ts";

/** How full a household's premises are. */
export class SiteOccupancy {
  readonly #tables: GateTables;
  readonly #capacity: (siteId: number) => number | null;

  constructor(options: { readonly tables: GateTables; readonly capacity: (siteId: number) => number | null }) {
    this.#tables = options.tables;
    this.#capacity = options.capacity;
  }

  /** Occupancy now, counted from open visits. */
  now(siteId: number): Occupancy {
    return occupancyOf(this.#tables.visits.countOpen(siteId), this.#capacity(siteId));
  }
}
