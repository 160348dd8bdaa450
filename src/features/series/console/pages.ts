import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/series",
    view: later(async () => (await import("./series.tsx")).SeriesPage),
    help: "using-gatehouse#long-term-series",
    tab: { of: "/system", at: 7, title: "series.title", group: "connections", icon: "database" },
  },
];
