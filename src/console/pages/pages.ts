import type { FunctionComponent } from "preact";
import { Activity } from "../../features/feed/console/activity.js";
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
  { pattern: "/devices/:id", view: later(async () => (await import("../../features/devices/console/device.js")).DevicePage), members: true },
  { pattern: "/history", view: later(async () => (await import("../../features/telemetry/console/history.js")).HistoryPage), members: true },
  { pattern: "/energy", view: later(async () => (await import("../../features/energy/console/energy.js")).EnergyPage), members: true },
  { pattern: "/energy/settings", view: later(async () => (await import("../../features/energy/console/energy-settings.js")).EnergySettingsPage) },
  { pattern: "/rooms/:id", view: later(async () => (await import("../../features/devices/console/room.js")).RoomPage), members: true },
  { pattern: "/gate", view: later(async () => (await import("../../features/gate/console/gate.js")).GatePage), members: true },
  {
    pattern: "/gate/reads/:id",
    view: later(async () => (await import("../../features/gate/console/read-review.js")).ReadReviewPage),
    members: true,
  },
  { pattern: "/gate/vehicles", view: later(async () => (await import("../../features/gate/console/vehicles.js")).VehiclesPage), members: true },
  {
    pattern: "/gate/vehicles/:plate",
    view: later(async () => (await import("../../features/gate/console/vehicle.js")).VehiclePage),
    members: true,
  },
  { pattern: "/gate/guests", view: later(async () => (await import("../../features/gate/console/guests.js")).GuestsPage) },
  { pattern: "/gate/rules", view: later(async () => (await import("../../features/gate/console/rules.js")).RulesPage) },
  { pattern: "/gate/estate", view: later(async () => (await import("../../features/estate/console/estate.js")).EstatePage) },
  { pattern: "/gate/cameras", view: later(async () => (await import("../../features/cameras/console/cameras.js")).CamerasPage) },
  { pattern: "/gate/cameras/new", view: later(async () => (await import("../../features/cameras/console/camera-find.js")).FindCameraPage) },
  { pattern: "/gate/cameras/:id/find", view: later(async () => (await import("../../features/cameras/console/camera-find.js")).FindCameraPage) },
  { pattern: "/gate/cameras/:id", view: later(async () => (await import("../../features/cameras/console/camera.js")).CameraPage) },
  { pattern: "/automations", view: later(async () => (await import("../../features/automations/console/automations.js")).AutomationsPage) },
  { pattern: "/automations/:id", view: later(async () => (await import("../../features/automations/console/automation-editor.js")).AutomationEditor) },
  { pattern: "/activity", view: Activity, members: true },
  {
    pattern: "/notifications",
    view: later(async () => (await import("../../features/notifications/console/notifications.js")).NotificationsPage),
    members: true,
  },
  {
    pattern: "/notifications/settings",
    view: later(async () => (await import("../../features/notifications/console/notification-settings.js")).NotificationSettingsPage),
    members: true,
  },
  { pattern: "/scenes", view: later(async () => (await import("../../features/scenes/console/scenes.js")).ScenesPage), members: true },
  { pattern: "/developer", view: later(async () => (await import("../../features/system/console/developer.js")).DeveloperPage) },
  { pattern: "/pair", view: later(async () => (await import("../../features/access/console/pair.js")).PairPage), members: true },
  { pattern: "/system", view: later(async () => (await import("../../features/system/console/system.js")).SystemPage), members: true },
  { pattern: "/system/persons", view: later(async () => (await import("../../features/access/console/persons.js")).PersonsPage) },
  { pattern: "/system/backups", view: later(async () => (await import("../../features/backups/console/backups.js")).BackupsPage) },
  { pattern: "/system/updates", view: later(async () => (await import("../../features/updates/console/updates.js")).UpdatesPage) },
  { pattern: "/system/bridge", view: later(async () => (await import("../../features/bridge/console/bridge.js")).BridgePage) },
  { pattern: "/system/matter", view: later(async () => (await import("../../features/matter/console/matter.js")).MatterPage) },
  { pattern: "/system/series", view: later(async () => (await import("../../features/series/console/series.js")).SeriesPage) },
  { pattern: "/system/mqtt", view: later(async () => (await import("../../features/mqtt/console/explorer.js")).ExplorerPage) },
  { pattern: "/system/log", view: later(async () => (await import("../../features/system/console/log.js")).LogPage) },
  { pattern: "/system/settings", view: later(async () => (await import("../../features/system/console/settings.js")).SettingsPage) },
  { pattern: "/system/devices", view: later(async () => (await import("../../features/devices/console/devices-admin.js")).DevicesAdminPage) },
  { pattern: "/system/rooms", view: later(async () => (await import("../../features/devices/console/rooms.js")).RoomsPage) },
  { pattern: "/more", view: More, members: true },
];
