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
      nav: { at: 9, on: "wide" },
      more: { at: 7, text: "more.developer" },
    },
  },
  {
    path: "/system",
    view: later(async () => (await import("./system.tsx")).SystemPage),
    help: "using-gatehouse#system",
    least: "member",
    entry: { title: "nav.system", icon: "settings", nav: { at: 10, on: "wide" }, more: { at: 9, text: "more.system" } },
    tab: { of: "/system", at: 1, title: "system.overview" },
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
    tab: { of: "/system", at: 10, title: "log.title" },
  },
  {
    path: "/system/settings",
    view: later(async () => (await import("./settings.tsx")).SettingsPage),
    help: "using-gatehouse#settings",
    tab: { of: "/system", at: 12, title: "settings.title" },
  },
];
