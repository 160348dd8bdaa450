import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";
import { isInEstate } from "./estate-tab.ts";

export const pages: readonly Page[] = [
  {
    path: "/gate/estate",
    view: later(async () => (await import("./estate.tsx")).EstatePage),
    help: "using-gatehouse#estate",
    tab: { of: "/gate", at: 6, title: "estate.title", isShown: isInEstate },
  },
];
