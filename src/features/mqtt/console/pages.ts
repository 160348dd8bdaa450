import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/mqtt",
    view: later(async () => (await import("./explorer.tsx")).ExplorerPage),
    help: "using-gatehouse#mqtt",
    tab: { of: "/system", at: 8, title: "explorer.tab", group: "connections", icon: "radio" },
  },
];
