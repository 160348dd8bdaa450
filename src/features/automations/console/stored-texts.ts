/**
 * Messages and names of starters that the hub stores as they were when the rule was made, in the words of this reader
 * where nobody has edited them. What somebody wrote stays as it is, whole: two languages never meet in one text.
 */
import { computed } from "@preact/signals";
import { loadLanguage, saidIn, type TextKey, t, type Wording } from "../../../console/i18n/translate.ts";
import { language } from "../../../console/preferences.ts";

/** The names of starter rules and the texts of their messages. */
const STARTER_TEXTS: readonly TextKey[] = [
  "starter.arm",
  "starter.away",
  "starter.awayMode",
  "starter.battery",
  "starter.batteryBody",
  "starter.batteryTitle",
  "starter.denied",
  "starter.deniedBody",
  "starter.deniedTitle",
  "starter.doorAtNight",
  "starter.doorBody",
  "starter.doorTitle",
  "starter.fan",
  "starter.gate",
  "starter.gateBody",
  "starter.gateTitle",
  "starter.home",
  "starter.intruder",
  "starter.intruderBody",
  "starter.intruderTitle",
  "starter.late",
  "starter.leak",
  "starter.leakBody",
  "starter.leakOnly",
  "starter.leakTitle",
  "starter.lock",
  "starter.motion",
  "starter.night",
  "starter.nightMode",
  "starter.offline",
  "starter.offlineBody",
  "starter.offlineTitle",
  "starter.shutterDown",
  "starter.shutterUp",
  "starter.smoke",
  "starter.smokeBody",
  "starter.smokeOnly",
  "starter.smokeTitle",
  "starter.standby",
  "starter.sunset",
  "starter.visitor",
  "starter.visitorBody",
  "starter.visitorTitle",
  "starter.welcome",
];

/** The letters of Hindi. */
export const HINDI = /[\u0900-\u097f]/;
/** Stands for a name of the house while texts are compared. */
const NAME = "\u0001";
/** What the hub fills in stays as it is. */
const KEPT = { device: "{device}", plate: "{plate}", value: "{value}" };
/** English as most write it. */
export const ENGLISH: Wording = { language: "en", locale: "en-GB" };
/** Hindi as the console writes it. */
export const HINDI_WORDING: Wording = { language: "hi", locale: "hi-IN-u-hc-h23" };

interface Pattern {
  readonly key: TextKey;
  readonly before: string;
  readonly after: string;
}

/** Every starter text in the languages that are loaded, split at the name that some have. */
const patterns = computed<readonly Pattern[]>(() =>
  [ENGLISH, HINDI_WORDING].flatMap((wording) =>
    STARTER_TEXTS.map((key) => {
      const [before = "", after = NAME] = saidIn(wording, () => t(key, { ...KEPT, name: NAME })).split(NAME);
      return { key, before, after };
    }),
  ),
);

/** An unedited text of a starter rule in the reader's language; null: it is somebody's own. */
export function starterText(text: string, values: Readonly<Record<string, string>> = KEPT): string | null {
  for (const { key, before, after } of patterns.value) {
    if (before === "" && after === NAME) continue; // not loaded yet
    if (after === NAME ? text === before : isAround(text, before, after))
      return t(key, { ...values, name: after === NAME ? "" : text.slice(before.length, text.length - after.length) });
  }
  return null;
}

function isAround(text: string, before: string, after: string): boolean {
  return text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);
}

/**
 * A stored message as somebody reads it, in one language throughout. @param known what the hub filled in, as far as it is
 * known; "the device" and the like stand for the rest
 */
export function messageText(text: string, known: Partial<typeof KEPT> = {}): string {
  const own = starterText(text, { ...filledIn(), ...known });
  if (own !== null) return own;
  const words = { ...saidIn(HINDI.test(text) ? HINDI_WORDING : ENGLISH, filledIn), ...known };
  return text.replace(/\{(device|plate|value)\}/g, (_, name: keyof typeof words) => words[name]);
}

function filledIn(): typeof KEPT {
  return { device: t("tap.theDevice"), plate: t("tap.thePlate"), value: t("tap.theValue") };
}

/** Fetches the other language if some text is in it, so that it can be known again; texts stay as they are otherwise. */
export function loadLanguagesOf(texts: readonly string[]): void {
  if (language.value !== "hi" && texts.some((text) => HINDI.test(text))) void loadLanguage("hi").catch(() => {});
}
