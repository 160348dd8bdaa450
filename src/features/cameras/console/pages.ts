import { later } from "../../../console/pages/later.tsx";
import type { Page } from "../../../console/pages/page.ts";

export const pages: readonly Page[] = [
  {
    path: "/gate/cameras",
    view: later(async () => (await import("./cameras.tsx")).CamerasPage),
    help: "using-gatehouse#cameras",
    tab: { of: "/gate", at: 5, title: "gate.cameras" },
  },
  {
    path: "/gate/cameras/new",
    view: later(async () => (await import("./camera-find.tsx")).FindCameraPage),
    help: "using-gatehouse#add-a-camera",
  },
  {
    path: "/gate/cameras/:id/find",
    view: later(async () => (await import("./camera-find.tsx")).FindCameraPage),
    help: "using-gatehouse#add-a-camera",
  },
  {
    path: "/gate/cameras/:id",
    view: later(async () => (await import("./camera.tsx")).CameraPage),
    help: "using-gatehouse#one-camera",
  },
];
