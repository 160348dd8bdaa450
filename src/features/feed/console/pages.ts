import type { Page } from "../../../console/pages/page.ts";
import { Activity } from "./activity.tsx";

export const pages: readonly Page[] = [
  {
    path: "/activity",
    view: Activity,
    help: "using-gatehouse#activity",
    least: "member",
    entry: {
      title: "nav.activity",
      icon: "activity",
      nav: { at: 5, on: "wide" },
      more: { at: 1, text: "more.activity" },
    },
  },
];
