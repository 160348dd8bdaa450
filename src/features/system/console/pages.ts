import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/developer",
    view: later(async () => (await import("./developer.tsx")).DeveloperPage),
    help: "using-gatehouse#developer",
    entry: {
      title: "nav.developer",
      icon: "code",
      nav: { at: 10, on: "wide" },
      more: { at: 7, text: "more.developer" },
    },
  },
  {
    path: "/system",
    view: later(async () => (await import("./system.tsx")).SystemPage),
    help: "using-gatehouse#system",
    least: "member",
    entry: {
      title: "nav.system",
      icon: "settings",
      nav: { at: 11, on: "wide" },
      more: { at: 9, text: "more.system", textOfOthers: "more.ownSystem" },
    },
  },
  {
    path: "/system/browser",
    view: later(async () => (await import("./system.tsx")).BrowserPage),
    help: "using-gatehouse#this-browser",
    least: "member",
    tab: { of: "/system", at: 16, title: "system.appearance", group: "settings", icon: "palette" },
  },
  {
    path: "/system/account",
    view: later(async () => (await import("./system.tsx")).AccountPage),
    help: "using-gatehouse#your-account",
    least: "member",
    tab: { of: "/system", at: 15, title: "account.title", group: "settings", icon: "user" },
  },
  {
    path: "/system/site",
    view: later(async () => (await import("./system.tsx")).SitePage),
    help: "using-gatehouse#site",
    tab: { of: "/system", at: 1, title: "system.site", group: "house", icon: "pin" },
  },
  {
    path: "/system/network",
    view: later(async () => (await import("./system.tsx")).NetworkPage),
    help: "using-gatehouse#network",
    tab: { of: "/system", at: 9, title: "network.title", group: "connections", icon: "network" },
  },
  {
    path: "/system/health",
    view: later(async () => (await import("./system.tsx")).HealthPage),
    help: "using-gatehouse#health",
    tab: { of: "/system", at: 10, title: "system.health", group: "care", icon: "health" },
  },
  {
    path: "/help",
    view: later(async () => (await import("./help.tsx")).HelpPage),
    help: "using-gatehouse#help",
    least: "member",
    under: "/system",
    entry: { title: "help.title", icon: "help", more: { at: 8.5, text: "help.text" } },
  },
  {
    path: "/help/:chapter",
    view: later(async () => (await import("./help.tsx")).ChapterPage),
    help: "using-gatehouse#help",
    least: "member",
    under: "/system",
  },
  {
    path: "/system/log",
    view: later(async () => (await import("./log.tsx")).LogPage),
    help: "using-gatehouse#log",
    tab: { of: "/system", at: 14, title: "log.title", group: "care", icon: "scroll" },
  },
  {
    path: "/system/settings",
    view: later(async () => (await import("./settings.tsx")).SettingsPage),
    help: "using-gatehouse#settings",
    tab: { of: "/system", at: 17, title: "settings.title", group: "settings", icon: "settings" },
  },
];
