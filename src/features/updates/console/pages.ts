import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/updates",
    view: later(async () => (await import("./updates.tsx")).UpdatesPage),
    help: "using-gatehouse#updates",
    tab: { of: "/system", at: 12, title: "update.title", group: "care", icon: "refresh" },
  },
];
