import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/pair",
    view: later(async () => (await import("./pair.tsx")).PairPage),
    help: "using-gatehouse#connect-an-app",
    least: "member",
    entry: { title: "pair.title", icon: "plug", more: { at: 8, text: "more.pair" } },
  },
  {
    path: "/system/audit",
    view: later(async () => (await import("./audit.tsx")).AuditPage),
    help: "using-gatehouse#who-did-what",
    tab: { of: "/system", at: 13, title: "system.audit", group: "care", icon: "list" },
  },
  {
    path: "/system/persons",
    view: later(async () => (await import("./persons.tsx")).PersonsPage),
    help: "using-gatehouse#people",
    tab: { of: "/system", at: 2, title: "persons.title", group: "house", icon: "users" },
  },
  {
    path: "/system/persons/:id",
    view: later(async () => (await import("./person.tsx")).PersonPage),
    help: "using-gatehouse#one-person",
  },
];
