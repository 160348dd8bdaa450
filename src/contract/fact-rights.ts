import { type Caller, type Holder, holds, type Right } from "./caller.js";
import type { Facts } from "./facts.js";
import { type FeedItemSight, isShown } from "./feed-kinds.js";

/** What a caller needs to be told of a fact as it happens. A new fact does not compile until it stands here. */
const RIGHTS: Readonly<Record<keyof Facts, Right>> = {
  "device.changed": "devices:read",
  "device.presence": "devices:read",
  "device.telemetry": "telemetry:read",
  "device.event": "events:read",
  "device.edited": "devices:read",
  "command.sent": "devices:read",
  "read.decided": "plates:read",
  "visit.changed": "plates:read",
  "occupancy.changed": "plates:read",
  "feed.added": "events:read",
  "scene.activated": "scenes:read",
  "webhook.changed": "owner",
};

/** Every kind of fact. */
export const FACT_KINDS = Object.keys(RIGHTS) as readonly (keyof Facts)[]; // keys of a literal object

/** Who may be told of one fact: for a fact that is kept, and asked about again for each reader. */
export interface Audience {
  readonly siteId: number;
  readonly kind: keyof Facts;
  /** An item of the feed has a right of its own kind too. */
  readonly item: FeedItemSight | null;
}

/** Who may be told of a fact. */
export function audienceOf<Kind extends keyof Facts>(kind: Kind, fact: Facts[Kind]): Audience {
  return { siteId: fact.siteId, kind, item: "aboutVehicles" in fact ? { kind: fact.kind, aboutVehicles: fact.aboutVehicles } : null };
}

/** Whether a caller is in the audience of a fact, by the rights that it has now. */
export function isAddressed(caller: Holder & Pick<Caller, "siteId">, { siteId, kind, item }: Audience): boolean {
  return siteId === caller.siteId && mayHearKind(caller, kind) && (item === null || isShown(caller, item));
}

/** Whether a caller may be told of facts of a kind at all. */
export function mayHearKind(caller: Holder, kind: keyof Facts): boolean {
  return holds(caller, RIGHTS[kind]);
}

/** The right that facts of a kind need. */
export function rightOf(kind: keyof Facts): Right {
  return RIGHTS[kind];
}

/** Whether a caller may be told of a fact: one of its household, and one that its rights reach. */
export function mayHear<Kind extends keyof Facts>(caller: Holder & Pick<Caller, "siteId">, kind: Kind, fact: Facts[Kind]): boolean {
  return isAddressed(caller, audienceOf(kind, fact));
}
