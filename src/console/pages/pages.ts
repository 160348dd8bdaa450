import type { FunctionComponent } from "preact";
import { Activity } from "./activity.js";
import { AutomationEditor } from "./automation-editor.js";
import { AutomationsPage } from "./automations.js";
import { DeveloperPage } from "./developer.js";
import { DevicePage } from "./device.js";
import { DevicesAdminPage } from "./devices-admin.js";
import { GatePage, VehiclesPage } from "./gate.js";
import { Home } from "./home.js";
import { More } from "./more.js";
import { RulesPage } from "./rules.js";
import { ScenesPage } from "./scenes.js";
import { SystemPage } from "./system.js";
import { VehiclePage } from "./vehicle.js";

/** What a page gets: the named parts of its path. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

/** One page: its path (`:name` parts become `params`) and what shows it. */
export interface Page {
  readonly pattern: string;
  readonly view: FunctionComponent<PageProps>;
}

/** All pages behind the sign-in. */
export const PAGES: readonly Page[] = [
  { pattern: "/", view: Home },
  { pattern: "/devices/:id", view: DevicePage },
  { pattern: "/gate", view: GatePage },
  { pattern: "/gate/vehicles", view: VehiclesPage },
  { pattern: "/gate/vehicles/:plate", view: VehiclePage },
  { pattern: "/gate/rules", view: RulesPage },
  { pattern: "/automations", view: AutomationsPage },
  { pattern: "/automations/:id", view: AutomationEditor },
  { pattern: "/activity", view: Activity },
  { pattern: "/scenes", view: ScenesPage },
  { pattern: "/developer", view: DeveloperPage },
  { pattern: "/system", view: SystemPage },
  { pattern: "/system/devices", view: DevicesAdminPage },
  { pattern: "/more", view: More },
];
