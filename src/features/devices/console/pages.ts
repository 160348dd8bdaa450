import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";
import { isOwner } from "../../../console/session.ts";

export const pages: readonly Page[] = [
  {
    path: "/devices/:id",
    view: later(async () => (await import("./device.tsx")).DevicePage),
    help: "using-gatehouse#one-device",
    least: "member",
    under: "/",
  },
  {
    path: "/rooms/:id",
    view: later(async () => (await import("./room.tsx")).RoomPage),
    help: "using-gatehouse#one-room",
    least: "member",
    under: "/",
  },
  {
    path: "/devices",
    view: later(async () => (await import("./devices.tsx")).DevicesPage),
    help: "using-gatehouse#devices",
    least: "member",
    entry: {
      title: "home.devices",
      icon: "plug",
      nav: { at: 3, on: "wide" },
      more: { at: 0, text: "more.devices", textOfOthers: "more.seeDevices" },
    },
    tab: { of: "/system", at: 3, title: "home.devices", group: "house", icon: "plug", isShown: () => isOwner.value },
  },
  {
    path: "/system/rooms",
    view: later(async () => (await import("./rooms.tsx")).RoomsPage),
    help: "using-gatehouse#rooms",
    entry: { title: "rooms.title", icon: "doorOpen", more: { at: 6, text: "more.rooms" } },
    tab: { of: "/system", at: 4, title: "rooms.title", group: "house", icon: "doorOpen" },
  },
];
