/** The chapters of the manual that a hub carries. */
import type { Language } from "../../core/text/render.ts";
import type { TextKey } from "../i18n/translate.ts";
import { type Section, sectionsOf } from "./sections.ts";

type Load = () => Promise<{ readonly default: string }>;

interface Files {
  readonly title: TextKey;
  /** Its English. */
  readonly load: Load;
  /** Its Hindi, with the same sections under the same ids. */
  readonly loadHindi?: Load;
  /** The section of the chapter for everybody, which has both languages, that is about the same. */
  readonly ownersSection?: string;
}

/** The text of each chapter, loaded when it is opened. */
export const CHAPTERS = {
  "using-gatehouse": {
    title: "help.using",
    load: () => import("../../../docs/using-gatehouse.md?raw"),
    loadHindi: () => import("../../../docs/using-gatehouse.hi.md?raw"),
  },
  gate: {
    title: "help.gate",
    load: () => import("../../../docs/gate.md?raw"),
    loadHindi: () => import("../../../docs/gate.hi.md?raw"),
  },
  automations: {
    title: "help.automations",
    load: () => import("../../../docs/automations.md?raw"),
    loadHindi: () => import("../../../docs/automations.hi.md?raw"),
  },
  notifications: {
    title: "help.notifications",
    load: () => import("../../../docs/notifications.md?raw"),
    loadHindi: () => import("../../../docs/notifications.hi.md?raw"),
  },
  "devices-of-other-makes": {
    title: "help.otherMakes",
    load: () => import("../../../docs/devices-of-other-makes.md?raw"),
    loadHindi: () => import("../../../docs/devices-of-other-makes.hi.md?raw"),
  },
  "matter-devices": {
    title: "help.matterDevices",
    load: () => import("../../../docs/matter-devices.md?raw"),
    loadHindi: () => import("../../../docs/matter-devices.hi.md?raw"),
  },
  matter: {
    title: "help.matter",
    load: () => import("../../../docs/matter.md?raw"),
    loadHindi: () => import("../../../docs/matter.hi.md?raw"),
  },
  "home-assistant": {
    title: "help.homeAssistant",
    load: () => import("../../../docs/home-assistant.md?raw"),
    loadHindi: () => import("../../../docs/home-assistant.hi.md?raw"),
  },
  appliance: {
    title: "help.appliance",
    load: () => import("../../../docs/appliance.md?raw"),
    loadHindi: () => import("../../../docs/appliance.hi.md?raw"),
  },
  settings: {
    title: "help.settings",
    load: () => import("../../../docs/settings.md?raw"),
    loadHindi: () => import("../../../docs/settings.hi.md?raw"),
  },
  "client-guide": {
    title: "help.client",
    load: () => import("../../../docs/client-guide.md?raw"),
    ownersSection: "developer",
  },
  glossary: {
    title: "help.glossary",
    load: () => import("../../../docs/glossary.md?raw"),
    loadHindi: () => import("../../../docs/glossary.hi.md?raw"),
  },
} as const satisfies Readonly<Record<string, Files>>;

/** A chapter of the manual. */
export type Chapter = keyof typeof CHAPTERS;

/** All of them, in their order. */
export const CHAPTER_NAMES = Object.keys(CHAPTERS) as readonly Chapter[]; // its own keys

/** A section of the manual: `using-gatehouse#plate-rules`. */
export type HelpPlace = `${Chapter}#${string}`;

/** Whether the manual has a chapter of this name. */
export function isChapter(name: string): name is Chapter {
  return Object.hasOwn(CHAPTERS, name);
}

/** Where the chapter for everybody has the same subject, for somebody whose language a chapter does not have; null: nowhere. */
export function ownersPlace(chapter: Chapter): HelpPlace | null {
  const { ownersSection }: Files = CHAPTERS[chapter];
  return ownersSection === undefined ? null : `using-gatehouse#${ownersSection}`;
}

/** Whether a chapter is in this language. */
export function isIn(chapter: Chapter, wanted: Language): boolean {
  const { loadHindi }: Files = CHAPTERS[chapter];
  return wanted === "en" || loadHindi !== undefined;
}

/** A chapter and the id of its section; null: not a place of the manual. */
export function partsOf(place: string): { readonly chapter: Chapter; readonly id: string } | null {
  const [chapter = "", id = ""] = place.split("#");
  return isChapter(chapter) && id !== "" ? { chapter, id } : null;
}

/** A chapter as it was loaded, in English where it has no other language. */
export interface Loaded {
  readonly text: string;
  readonly language: Language;
  readonly sections: readonly Section[];
}

/** Fetches a chapter from the hub. @throws TypeError when the hub does not answer */
export async function loadChapter(chapter: Chapter, wanted: Language): Promise<Loaded> {
  const { load, loadHindi }: Files = CHAPTERS[chapter];
  const isHindi = wanted === "hi" && loadHindi !== undefined;
  const { default: text } = await (isHindi ? loadHindi() : load());
  return { text, language: isHindi ? "hi" : "en", sections: sectionsOf(text) };
}
