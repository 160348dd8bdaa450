import type { FunctionComponent } from "preact";
import { Activity } from "./activity.js";
import { AutomationsPage } from "./automations.js";
import { GatePage, VehiclesPage } from "./gate.js";
import { Home } from "./home.js";
import { later } from "./later.js";
import { More } from "./more.js";

/** What a page gets: the named parts of its path. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

/** One page: its path (`:name` parts become `params`) and what shows it. */
export interface Page {
  readonly pattern: string;
  readonly view: FunctionComponent<PageProps>;
}

/** All pages behind the sign-in; those that are opened every day are in the first download. */
export const PAGES: readonly Page[] = [
  { pattern: "/", view: Home },
  { pattern: "/devices/:id", view: later(async () => (await import("./device.js")).DevicePage) },
  { pattern: "/gate", view: GatePage },
  { pattern: "/gate/vehicles", view: VehiclesPage },
  { pattern: "/gate/vehicles/:plate", view: later(async () => (await import("./vehicle.js")).VehiclePage) },
  { pattern: "/gate/rules", view: later(async () => (await import("./rules.js")).RulesPage) },
  { pattern: "/gate/cameras", view: later(async () => (await import("./cameras.js")).CamerasPage) },
  { pattern: "/gate/cameras/:id", view: later(async () => (await import("./camera.js")).CameraPage) },
  { pattern: "/automations", view: AutomationsPage },
  { pattern: "/automations/:id", view: later(async () => (await import("./automation-editor.js")).AutomationEditor) },
  { pattern: "/activity", view: Activity },
  { pattern: "/scenes", view: later(async () => (await import("./scenes.js")).ScenesPage) },
  { pattern: "/developer", view: later(async () => (await import("./developer.js")).DeveloperPage) },
  { pattern: "/system", view: later(async () => (await import("./system.js")).SystemPage) },
  { pattern: "/system/devices", view: later(async () => (await import("./devices-admin.js")).DevicesAdminPage) },
  { pattern: "/system/rooms", view: later(async () => (await import("./rooms.js")).RoomsPage) },
  { pattern: "/more", view: More },
];
