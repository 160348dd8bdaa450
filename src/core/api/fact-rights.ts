import { type Caller, type Holder, holds, type Right } from "./caller.ts";
import type { Facts } from "./facts.ts";
import { type FeedItemSight, type FeedReader, isShown } from "./feed-kinds.ts";

/** The right a caller needs to receive a fact as it happens. A new fact does not compile until it is listed here. */
const RIGHTS: Readonly<Record<keyof Facts, Right>> = {
  "device.changed": "devices:read",
  "device.presence": "devices:read",
  "device.battery": "devices:read",
  "device.telemetry": "telemetry:read",
  "device.event": "events:read",
  "device.edited": "devices:read",
  "command.sent": "devices:read",
  "command.changed": "devices:read",
  "read.decided": "plates:read",
  "gate.opening": "plates:read",
  "gate.question": "gate:confirm",
  "plate_rules.changed": "plates:read",
  "visit.changed": "plates:read",
  "occupancy.changed": "plates:read",
  "feed.added": "events:read",
  "scene.activated": "scenes:read",
  "house.mode": "scenes:read",
  "house.presence": "owner",
  "persons.changed": "owner",
  "webhook.changed": "owner",
};

/** The right that suffices to receive facts about one's own actions. */
const OWN_RIGHTS: Partial<Readonly<Record<keyof Facts, Right>>> = { "command.changed": "devices:control" };

/** Every kind of fact. */
export const FACT_KINDS = Object.keys(RIGHTS) as readonly (keyof Facts)[]; // keys of a literal object

/** Who may receive one fact: stored with a kept fact, and checked again for each reader. */
export interface Audience {
  readonly siteId: number;
  readonly kind: keyof Facts;
  /** The actor, if acting gives a right to receive the fact. */
  readonly sender: string | null;
  /** A feed item requires the right of its own kind too. */
  readonly item: FeedItemSight | null;
}

/** Who may receive a fact. */
export function audienceOf<Kind extends keyof Facts>(kind: Kind, fact: Facts[Kind]): Audience {
  const sender = kind in OWN_RIGHTS && "actor" in fact ? fact.actor : null;
  return {
    siteId: fact.siteId,
    kind,
    sender,
    item:
      "aboutVehicles" in fact
        ? { kind: fact.kind, aboutVehicles: fact.aboutVehicles, recipients: fact.recipients }
        : null,
  };
}

/** The part of a caller that decides which facts it receives. */
type Hearer = FeedReader & Pick<Caller, "siteId" | "actor">;

/** Whether a caller is in the audience of a fact, by its current rights. */
export function isAddressed(caller: Hearer, { siteId, kind, sender, item }: Audience): boolean {
  if (siteId !== caller.siteId) return false;
  const may = holds(caller, RIGHTS[kind]) || (sender === caller.actor && mayHearKind(caller, kind));
  return may && (item === null || isShown(caller, item));
}

/** Whether a caller may receive facts of a kind at all, even if only about its own actions. */
export function mayHearKind(caller: Holder, kind: keyof Facts): boolean {
  const own = OWN_RIGHTS[kind];
  return holds(caller, RIGHTS[kind]) || (own !== undefined && holds(caller, own));
}

/** The right that facts of a kind need. */
export function rightOf(kind: keyof Facts): Right {
  return RIGHTS[kind];
}

/** Whether a caller may receive a fact: it concerns the caller's household, and the caller's rights cover it. */
export function mayHear<Kind extends keyof Facts>(caller: Hearer, kind: Kind, fact: Facts[Kind]): boolean {
  return isAddressed(caller, audienceOf(kind, fact));
}
