import type { FunctionComponent } from "preact";
import { Activity } from "./activity.js";
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
  /** For every person of the household; the others are an owner's. */
  readonly members?: boolean;
}

/** All pages behind the sign-in; those that are opened every day are in the first download. */
export const PAGES: readonly Page[] = [
  { pattern: "/", view: Home, members: true },
  { pattern: "/devices/:id", view: later(async () => (await import("./device.js")).DevicePage), members: true },
  { pattern: "/history", view: later(async () => (await import("./history.js")).HistoryPage), members: true },
  { pattern: "/energy", view: later(async () => (await import("./energy.js")).EnergyPage), members: true },
  { pattern: "/energy/settings", view: later(async () => (await import("./energy-settings.js")).EnergySettingsPage) },
  { pattern: "/rooms/:id", view: later(async () => (await import("./room.js")).RoomPage), members: true },
  { pattern: "/gate", view: later(async () => (await import("./gate.js")).GatePage), members: true },
  {
    pattern: "/gate/reads/:id",
    view: later(async () => (await import("./read-review.js")).ReadReviewPage),
    members: true,
  },
  { pattern: "/gate/vehicles", view: later(async () => (await import("./vehicles.js")).VehiclesPage), members: true },
  {
    pattern: "/gate/vehicles/:plate",
    view: later(async () => (await import("./vehicle.js")).VehiclePage),
    members: true,
  },
  { pattern: "/gate/guests", view: later(async () => (await import("./guests.js")).GuestsPage) },
  { pattern: "/gate/rules", view: later(async () => (await import("./rules.js")).RulesPage) },
  { pattern: "/gate/estate", view: later(async () => (await import("./estate.js")).EstatePage) },
  { pattern: "/gate/cameras", view: later(async () => (await import("./cameras.js")).CamerasPage) },
  { pattern: "/gate/cameras/new", view: later(async () => (await import("./camera-find.js")).FindCameraPage) },
  { pattern: "/gate/cameras/:id/find", view: later(async () => (await import("./camera-find.js")).FindCameraPage) },
  { pattern: "/gate/cameras/:id", view: later(async () => (await import("./camera.js")).CameraPage) },
  { pattern: "/automations", view: later(async () => (await import("./automations.js")).AutomationsPage) },
  { pattern: "/automations/:id", view: later(async () => (await import("./automation-editor.js")).AutomationEditor) },
  { pattern: "/activity", view: Activity, members: true },
  {
    pattern: "/notifications",
    view: later(async () => (await import("./notifications.js")).NotificationsPage),
    members: true,
  },
  {
    pattern: "/notifications/settings",
    view: later(async () => (await import("./notification-settings.js")).NotificationSettingsPage),
    members: true,
  },
  { pattern: "/scenes", view: later(async () => (await import("./scenes.js")).ScenesPage), members: true },
  { pattern: "/developer", view: later(async () => (await import("./developer.js")).DeveloperPage) },
  { pattern: "/pair", view: later(async () => (await import("./pair.js")).PairPage), members: true },
  { pattern: "/system", view: later(async () => (await import("./system.js")).SystemPage), members: true },
  { pattern: "/system/persons", view: later(async () => (await import("./persons.js")).PersonsPage) },
  { pattern: "/system/backups", view: later(async () => (await import("./backups.js")).BackupsPage) },
  { pattern: "/system/updates", view: later(async () => (await import("./updates.js")).UpdatesPage) },
  { pattern: "/system/bridge", view: later(async () => (await import("./bridge.js")).BridgePage) },
  { pattern: "/system/matter", view: later(async () => (await import("./matter.js")).MatterPage) },
  { pattern: "/system/series", view: later(async () => (await import("./series.js")).SeriesPage) },
  { pattern: "/system/mqtt", view: later(async () => (await import("./explorer.js")).ExplorerPage) },
  { pattern: "/system/log", view: later(async () => (await import("./log.js")).LogPage) },
  { pattern: "/system/settings", view: later(async () => (await import("./settings.js")).SettingsPage) },
  { pattern: "/system/devices", view: later(async () => (await import("./devices-admin.js")).DevicesAdminPage) },
  { pattern: "/system/rooms", view: later(async () => (await import("./rooms.js")).RoomsPage) },
  { pattern: "/more", view: More, members: true },
];
