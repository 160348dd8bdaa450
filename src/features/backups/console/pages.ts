import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/backups",
    view: later(async () => (await import("./backups.tsx")).BackupsPage),
    help: "using-gatehouse#backups",
    tab: { of: "/system", at: 11, title: "backup.title", group: "care", icon: "shield" },
  },
];
