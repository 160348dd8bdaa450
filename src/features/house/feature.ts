import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import { HouseModes } from "./house-modes.ts";
import { Presence } from "./presence.ts";
import { houseRoutes } from "./routes/console-house.ts";

/** What the house is set to, and who is home. */
export class HouseFeature implements Feature {
  readonly modes: HouseModes;
  readonly presence: Presence;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;

  constructor(
    base: Base,
    {
      feed: { feed },
      access,
      devices: { registry },
    }: { readonly feed: FeedFeature; readonly access: AccessFeature; readonly devices: DevicesFeature },
  ) {
    this.#base = base;
    this.#access = access;
    this.modes = new HouseModes(base, feed, access.limits);
    const { accounts, recordAudit } = access;
    this.presence = new Presence(base, { accounts, registry, recordAudit });
    this.services = [{ service: this.presence, start: "load", stop: "intake" }];
  }

  get console() {
    const { modes, presence } = this;
    const { accounts, limits } = this.#access;
    const { clock } = this.#base;
    const isShared = () => this.#base.settings().house.shared;
    return houseRoutes({ modes, presence, accounts, limits, clock, isShared });
  }
}
