/** How the pages of System stand, and what can be found on pages: each feature declares its own, and this lists them. */
import { section as access } from "../../features/access/console/section.ts";
import { section as automations } from "../../features/automations/console/section.ts";
import { section as backups } from "../../features/backups/console/section.ts";
import { section as bridge } from "../../features/bridge/console/section.ts";
import { section as cameras } from "../../features/cameras/console/section.ts";
import { section as devices } from "../../features/devices/console/section.ts";
import { section as energy } from "../../features/energy/console/section.ts";
import { section as feed } from "../../features/feed/console/section.ts";
import { section as gate } from "../../features/gate/console/section.ts";
import { section as house } from "../../features/house/console/section.ts";
import { section as matter } from "../../features/matter/console/section.ts";
import { section as notifications } from "../../features/notifications/console/section.ts";
import { section as scenes } from "../../features/scenes/console/section.ts";
import { section as series } from "../../features/series/console/section.ts";
import { section as states } from "../../features/states/console/section.ts";
import { section as system } from "../../features/system/console/section.ts";
import { section as updates } from "../../features/updates/console/section.ts";
import type { Section } from "./section.ts";

/** What features declare, in the order of the pages. */
export const SECTIONS: readonly Section[] = [
  system,
  access,
  devices,
  house,
  bridge,
  matter,
  series,
  backups,
  updates,
  notifications,
  energy,
  states,
  feed,
  gate,
  cameras,
  scenes,
  automations,
];
