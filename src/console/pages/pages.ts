import type { FunctionComponent } from "preact";
import { Activity } from "../../features/feed/console/activity.tsx";
import { Home } from "./home.tsx";
import { later } from "./later.tsx";
import { More } from "./more.tsx";

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
  {
    pattern: "/devices/:id",
    view: later(async () => (await import("../../features/devices/console/device.tsx")).DevicePage),
    members: true,
  },
  {
    pattern: "/history",
    view: later(async () => (await import("../../features/states/console/history-page.tsx")).HistoryPage),
    members: true,
  },
  {
    pattern: "/history/values",
    view: later(async () => (await import("../../features/states/console/history-page.tsx")).ValuesPage),
    members: true,
  },
  {
    pattern: "/energy",
    view: later(async () => (await import("../../features/energy/console/energy.tsx")).EnergyPage),
    members: true,
  },
  {
    pattern: "/energy/settings",
    view: later(async () => (await import("../../features/energy/console/energy-settings.tsx")).EnergySettingsPage),
  },
  {
    pattern: "/rooms/:id",
    view: later(async () => (await import("../../features/devices/console/room.tsx")).RoomPage),
    members: true,
  },
  {
    pattern: "/gate",
    view: later(async () => (await import("../../features/gate/console/gate.tsx")).GatePage),
    members: true,
  },
  {
    pattern: "/gate/reads/:id",
    view: later(async () => (await import("../../features/gate/console/read-review.tsx")).ReadReviewPage),
    members: true,
  },
  {
    pattern: "/gate/vehicles",
    view: later(async () => (await import("../../features/gate/console/vehicles.tsx")).VehiclesPage),
    members: true,
  },
  {
    pattern: "/gate/vehicles/:plate",
    view: later(async () => (await import("../../features/gate/console/vehicle.tsx")).VehiclePage),
    members: true,
  },
  {
    pattern: "/gate/guests",
    view: later(async () => (await import("../../features/gate/console/guests.tsx")).GuestsPage),
  },
  {
    pattern: "/gate/rules",
    view: later(async () => (await import("../../features/gate/console/rules.tsx")).RulesPage),
  },
  {
    pattern: "/gate/estate",
    view: later(async () => (await import("../../features/estate/console/estate.tsx")).EstatePage),
  },
  {
    pattern: "/gate/cameras",
    view: later(async () => (await import("../../features/cameras/console/cameras.tsx")).CamerasPage),
  },
  {
    pattern: "/gate/cameras/new",
    view: later(async () => (await import("../../features/cameras/console/camera-find.tsx")).FindCameraPage),
  },
  {
    pattern: "/gate/cameras/:id/find",
    view: later(async () => (await import("../../features/cameras/console/camera-find.tsx")).FindCameraPage),
  },
  {
    pattern: "/gate/cameras/:id",
    view: later(async () => (await import("../../features/cameras/console/camera.tsx")).CameraPage),
  },
  {
    pattern: "/automations",
    view: later(async () => (await import("../../features/automations/console/automations.tsx")).AutomationsPage),
  },
  {
    pattern: "/automations/:id",
    view: later(
      async () => (await import("../../features/automations/console/automation-editor.tsx")).AutomationEditor,
    ),
  },
  { pattern: "/activity", view: Activity, members: true },
  {
    pattern: "/notifications",
    view: later(async () => (await import("../../features/notifications/console/notifications.tsx")).NotificationsPage),
    members: true,
  },
  {
    pattern: "/notifications/settings",
    view: later(
      async () =>
        (await import("../../features/notifications/console/notification-settings.tsx")).NotificationSettingsPage,
    ),
    members: true,
  },
  {
    pattern: "/scenes",
    view: later(async () => (await import("../../features/scenes/console/scenes.tsx")).ScenesPage),
    members: true,
  },
  {
    pattern: "/developer",
    view: later(async () => (await import("../../features/system/console/developer.tsx")).DeveloperPage),
  },
  {
    pattern: "/pair",
    view: later(async () => (await import("../../features/access/console/pair.tsx")).PairPage),
    members: true,
  },
  {
    pattern: "/system",
    view: later(async () => (await import("../../features/system/console/system.tsx")).SystemPage),
    members: true,
  },
  {
    pattern: "/system/persons",
    view: later(async () => (await import("../../features/access/console/persons.tsx")).PersonsPage),
  },
  {
    pattern: "/system/backups",
    view: later(async () => (await import("../../features/backups/console/backups.tsx")).BackupsPage),
  },
  {
    pattern: "/system/updates",
    view: later(async () => (await import("../../features/updates/console/updates.tsx")).UpdatesPage),
  },
  {
    pattern: "/system/bridge",
    view: later(async () => (await import("../../features/bridge/console/bridge.tsx")).BridgePage),
  },
  {
    pattern: "/system/matter",
    view: later(async () => (await import("../../features/matter/console/matter.tsx")).MatterPage),
  },
  {
    pattern: "/system/series",
    view: later(async () => (await import("../../features/series/console/series.tsx")).SeriesPage),
  },
  {
    pattern: "/system/mqtt",
    view: later(async () => (await import("../../features/mqtt/console/explorer.tsx")).ExplorerPage),
  },
  { pattern: "/system/log", view: later(async () => (await import("../../features/system/console/log.tsx")).LogPage) },
  {
    pattern: "/system/settings",
    view: later(async () => (await import("../../features/system/console/settings.tsx")).SettingsPage),
  },
  {
    pattern: "/system/devices",
    view: later(async () => (await import("../../features/devices/console/devices-admin.tsx")).DevicesAdminPage),
  },
  {
    pattern: "/system/rooms",
    view: later(async () => (await import("../../features/devices/console/rooms.tsx")).RoomsPage),
  },
  { pattern: "/more", view: More, members: true },
];
