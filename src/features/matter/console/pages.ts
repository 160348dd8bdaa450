import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/matter",
    view: later(async () => (await import("./matter.tsx")).MatterPage),
    help: "using-gatehouse#matter",
    tab: { of: "/system", at: 6, title: "matter.title", group: "connections", icon: "house" },
  },
];
