import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/gate",
    view: later(async () => (await import("./gate.tsx")).GatePage),
    help: "using-gatehouse#plate-reads",
    least: "member",
    entry: { title: "nav.gate", icon: "fence", nav: { at: 2, on: "both" } },
    tab: { of: "/gate", at: 1, title: "gate.tab.reads" },
  },
  {
    path: "/gate/reads/:id",
    view: later(async () => (await import("./read-review.tsx")).ReadReviewPage),
    help: "using-gatehouse#one-plate-read",
    least: "member",
  },
  {
    path: "/gate/vehicles",
    view: later(async () => (await import("./vehicles.tsx")).VehiclesPage),
    help: "using-gatehouse#cars",
    least: "member",
    tab: { of: "/gate", at: 2, title: "gate.tab.vehicles" },
  },
  {
    path: "/gate/vehicles/:plate",
    view: later(async () => (await import("./vehicle.tsx")).VehiclePage),
    help: "using-gatehouse#one-vehicle",
    least: "member",
  },
  {
    path: "/gate/guests",
    view: later(async () => (await import("./guests.tsx")).GuestsPage),
    help: "using-gatehouse#guest-passes",
    least: "gatekeeper",
    tab: { of: "/gate", at: 3, title: "gate.tab.guests" },
  },
  {
    path: "/gate/rules",
    view: later(async () => (await import("./rules.tsx")).RulesPage),
    help: "using-gatehouse#plate-rules",
    least: "gatekeeper",
    tab: { of: "/gate", at: 4, title: "gate.tab.rules" },
  },
];
