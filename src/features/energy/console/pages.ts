import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/energy",
    view: later(async () => (await import("./energy.tsx")).EnergyPage),
    help: "using-gatehouse#energy",
    least: "member",
    entry: { title: "energy.title", icon: "zap", nav: { at: 7, on: "wide" }, more: { at: 3, text: "more.energy" } },
  },
  {
    path: "/energy/settings",
    view: later(async () => (await import("./energy-settings.tsx")).EnergySettingsPage),
    help: "using-gatehouse#prices-and-meters",
  },
];
