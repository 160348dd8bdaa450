import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/history",
    view: later(async () => (await import("./history-page.tsx")).HistoryPage),
    help: "using-gatehouse#history",
    least: "member",
    entry: {
      title: "device.history",
      icon: "gauge",
      nav: { at: 8, on: "wide" },
      more: { at: 4, text: "more.history" },
    },
  },
  {
    path: "/history/values",
    view: later(async () => (await import("./history-page.tsx")).ValuesPage),
    help: "using-gatehouse#measurements",
    least: "member",
  },
];
