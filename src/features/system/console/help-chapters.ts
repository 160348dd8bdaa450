/** The chapters of the manual that a hub carries. */
import type { TextKey } from "../../../console/i18n/translate.ts";

/** The text of each chapter, loaded when it is opened. */
export const CHAPTERS = {
  "using-gatehouse": { title: "help.using", load: () => import("../../../../docs/using-gatehouse.md?raw") },
  gate: { title: "help.gate", load: () => import("../../../../docs/gate.md?raw") },
  automations: { title: "help.automations", load: () => import("../../../../docs/automations.md?raw") },
  notifications: { title: "help.notifications", load: () => import("../../../../docs/notifications.md?raw") },
  "devices-of-other-makes": {
    title: "help.otherMakes",
    load: () => import("../../../../docs/devices-of-other-makes.md?raw"),
  },
  "matter-devices": { title: "help.matterDevices", load: () => import("../../../../docs/matter-devices.md?raw") },
  matter: { title: "help.matter", load: () => import("../../../../docs/matter.md?raw") },
  "home-assistant": { title: "help.homeAssistant", load: () => import("../../../../docs/home-assistant.md?raw") },
  appliance: { title: "help.appliance", load: () => import("../../../../docs/appliance.md?raw") },
  settings: { title: "help.settings", load: () => import("../../../../docs/settings.md?raw") },
  "client-guide": { title: "help.client", load: () => import("../../../../docs/client-guide.md?raw") },
  glossary: { title: "help.glossary", load: () => import("../../../../docs/glossary.md?raw") },
} as const satisfies Readonly<
  Record<string, { readonly title: TextKey; readonly load: () => Promise<{ readonly default: string }> }>
>;

/** A chapter of the manual. */
export type Chapter = keyof typeof CHAPTERS;

/** Whether the manual has a chapter of this name. */
export function isChapter(name: string): name is Chapter {
  return Object.hasOwn(CHAPTERS, name);
}
