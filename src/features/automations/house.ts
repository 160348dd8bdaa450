import type { Env } from "../../core/api/caller.ts";
import type { Role } from "../../core/api/roles.ts";
import type { Countries } from "../../core/plates/countries.ts";
import type { Grants } from "../access/grants.ts";
import type { RecordAudit } from "../access/household-audit.ts";
import type { Keys } from "../access/keys.ts";
import type { PersonLimits } from "../access/person-limits.ts";
import type { Commands } from "../devices/commands.ts";
import type { Device } from "../devices/device.ts";
import type { Feed } from "../feed/feed.ts";
import type { HouseModes } from "../house/house-modes.ts";
import type { Presence } from "../house/presence.ts";
import type { Scenes } from "../scenes/scenes.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { LanNotifier } from "./notify-lan.ts";
import type { Step } from "./rules/rule.ts";
import type { SitePlace } from "./rules/world.ts";

/** What rules know and use of the house: classes of other features, of each only what rules call. */
export interface House {
  readonly registry: {
    find(
      id: string,
    ): Pick<
      Device,
      "siteId" | "name" | "type" | "online" | "state" | "battery" | "commandSchema" | "opensForPlates"
    > | null;
  };
  readonly commands: Pick<Commands, "send" | "opens" | "movedBy" | "hands">;
  readonly scenes: Pick<Scenes, "activate" | "modeOf" | "actionsOf" | "devicesOf" | "nameOf">;
  readonly accounts: {
    site(siteId: number): SitePlace & { readonly env: Env };
    personsOf(siteId: number): readonly { readonly id: number; readonly role: Role }[];
  };
  readonly keys: Pick<Keys, "author">;
  readonly limits: Pick<PersonLimits, "isBound" | "isPersonBound">;
  readonly grants: Pick<Grants, "stands" | "issuerOf">;
  readonly feed: Pick<Feed, "record">;
  readonly outbox: Pick<Outbox, "enqueue">;
  readonly lan: Pick<LanNotifier, "notify">;
  readonly occupancy: { now(siteId: number): { readonly inside: number } };
  readonly modes: Pick<HouseModes, "now" | "set">;
  readonly presence: Pick<Presence, "whereIs" | "count">;
  /** Whether a step opens or disarms, or moves what decides about it. */
  decides(siteId: number, step: Step): boolean;
  readonly countries: Countries;
  readonly recordAudit: RecordAudit;
}
