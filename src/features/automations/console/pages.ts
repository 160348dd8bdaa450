import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/automations",
    view: later(async () => (await import("./automations.tsx")).AutomationsPage),
    help: "using-gatehouse#automations",
    entry: { title: "nav.automations", icon: "wand", nav: { at: 4, on: "both" } },
  },
  {
    path: "/automations/:id",
    view: later(async () => (await import("./automation-editor.tsx")).AutomationEditor),
    help: "using-gatehouse#write-an-automation",
  },
];
