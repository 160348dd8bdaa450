import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/presence",
    view: later(async () => (await import("./presence.tsx")).PresencePage),
    help: "using-gatehouse#who-is-home",
    tab: { of: "/system", at: 5, title: "presence.title", group: "house", icon: "users" },
  },
];
