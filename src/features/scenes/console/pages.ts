import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/scenes",
    view: later(async () => (await import("./scenes.tsx")).ScenesPage),
    help: "using-gatehouse#scenes",
    least: "member",
    entry: {
      title: "nav.scenes",
      icon: "clapperboard",
      nav: { at: 9, on: "wide" },
      more: { at: 2, text: "more.scenes" },
    },
  },
];
