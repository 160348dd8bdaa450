import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/matter",
    view: later(async () => (await import("./matter.tsx")).MatterPage),
    tab: { of: "/system", at: 6, title: "matter.title" },
  },
];
