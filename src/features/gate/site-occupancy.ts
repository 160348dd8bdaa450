import { type Occupancy, occupancyOf } from "../../core/plates/occupancy.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { GateTables } from "./tables.ts";

/** How full a household's premises are. */
export class SiteOccupancy {
  readonly #tables: GateTables;
  readonly #access: AccessFeature;

  constructor(tables: GateTables, access: AccessFeature) {
    this.#tables = tables;
    this.#access = access;
  }

  /** Occupancy now, counted from open visits. */
  now(siteId: number): Occupancy {
    return occupancyOf(this.#tables.visits.countOpen(siteId), this.#access.accounts.site(siteId).capacity);
  }
}
