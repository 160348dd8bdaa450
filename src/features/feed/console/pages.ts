import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/activity",
    view: later(async () => (await import("./activity.tsx")).Activity),
    help: "using-gatehouse#activity",
    least: "member",
    entry: {
      title: "nav.activity",
      icon: "activity",
      nav: { at: 6, on: "wide" },
      more: { at: 1, text: "more.activity" },
    },
  },
];
