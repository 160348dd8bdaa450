import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/notifications",
    view: later(async () => (await import("./notifications.tsx")).NotificationsPage),
    help: "using-gatehouse#notifications",
    least: "member",
    entry: { title: "nav.notifications", icon: "bell", nav: { at: 5, on: "both" } },
  },
  {
    path: "/notifications/settings",
    view: later(async () => (await import("./notification-settings.tsx")).NotificationSettingsPage),
    help: "using-gatehouse#what-i-am-told",
    least: "member",
  },
];
