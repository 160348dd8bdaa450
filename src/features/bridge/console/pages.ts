import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/system/bridge",
    view: later(async () => (await import("./bridge.tsx")).BridgePage),
    help: "using-gatehouse#other-makes",
    tab: { of: "/system", at: 5, title: "bridge.title", group: "connections", icon: "blocks" },
  },
];
