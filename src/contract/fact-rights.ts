import { type Holder, holds, type Right } from "./caller.js";
import type { Facts } from "./facts.js";
import { isShown } from "./feed-kinds.js";

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

/** Whether a caller may be told of a fact of its household. */
export function mayHear<Kind extends keyof Facts>(caller: Holder, kind: Kind, fact: Facts[Kind]): boolean {
  if (!holds(caller, RIGHTS[kind])) return false;
  return "aboutVehicles" in fact ? isShown(caller, fact) : true;
}
