import { pages as access } from "../../features/access/console/pages.ts";
import { pages as automations } from "../../features/automations/console/pages.ts";
import { pages as backups } from "../../features/backups/console/pages.ts";
import { pages as bridge } from "../../features/bridge/console/pages.ts";
import { pages as cameras } from "../../features/cameras/console/pages.ts";
import { pages as devices } from "../../features/devices/console/pages.ts";
import { pages as energy } from "../../features/energy/console/pages.ts";
import { pages as estate } from "../../features/estate/console/pages.ts";
import { pages as feed } from "../../features/feed/console/pages.ts";
import { pages as gate } from "../../features/gate/console/pages.ts";
import { pages as house } from "../../features/house/console/pages.ts";
import { pages as matter } from "../../features/matter/console/pages.ts";
import { pages as mqtt } from "../../features/mqtt/console/pages.ts";
import { pages as notifications } from "../../features/notifications/console/pages.ts";
import { pages as scenes } from "../../features/scenes/console/pages.ts";
import { pages as series } from "../../features/series/console/pages.ts";
import { pages as states } from "../../features/states/console/pages.ts";
import { pages as system } from "../../features/system/console/pages.ts";
import { pages as updates } from "../../features/updates/console/pages.ts";
import { Home } from "./home.tsx";
import { More } from "./more.tsx";
import type { Page } from "./page.ts";

/** All pages behind the sign-in, one line a feature; those that are opened every day are in the first download. */
export const PAGES: readonly Page[] = [
  {
    path: "/",
    view: Home,
    help: "using-gatehouse#home",
    least: "member",
    entry: { title: "nav.home", icon: "house", nav: { at: 1, on: "both" } },
  },
  {
    path: "/more",
    view: More,
    help: "using-gatehouse#more",
    least: "member",
    entry: { title: "nav.more", icon: "more", nav: { at: 12, on: "narrow" } },
  },
  ...access,
  ...automations,
  ...backups,
  ...bridge,
  ...cameras,
  ...devices,
  ...energy,
  ...estate,
  ...feed,
  ...gate,
  ...house,
  ...matter,
  ...mqtt,
  ...notifications,
  ...scenes,
  ...series,
  ...states,
  ...system,
  ...updates,
];
