import { texts as first } from "virtual:texts/en-first";
import { signal } from "@preact/signals";
import type { CompiledMessage } from "icu-minify/format";
import { type Language, type Reading, textOf, type Values } from "../../core/text/render.ts";
import { shownNow } from "../clock.ts";
import { language } from "../preferences.ts";
import { dateFormat, numberFormat } from "./formats.ts";
import { unbroken, withUnits } from "./unbroken.ts";

/** Key of a text: the console's own (catalogue.ts) or the hub's (src/texts.ts). */
export type TextKey = keyof typeof import("./catalogue.ts").texts | keyof typeof import("../../texts.ts").texts;

/** Texts by key, as the build gives them (`src/console/vite-declared.ts`). */
type Catalogue = Readonly<Partial<Record<TextKey, CompiledMessage>>>;

/**
 * The catalogues loaded so far. The first download has the English that the first view shows, and readers of Hindi wait
 * for the same part of theirs; the rest comes with the first page that is loaded later.
 */
const catalogues = signal<Readonly<Partial<Record<Language, Catalogue>>>>({ en: first });
const PARTS: Readonly<Record<Language, Readonly<Record<"first" | "further", () => Promise<{ texts: Catalogue }>>>>> = {
  en: { first: () => Promise.resolve({ texts: first }), further: () => import("virtual:texts/en-further") },
  hi: { first: () => import("virtual:texts/hi-first"), further: () => import("virtual:texts/hi-further") },
};
const coming = new Map<() => Promise<unknown>, Promise<void>>();

function load(of: Language, part: "first" | "further"): Promise<void> {
  const fetchTexts = PARTS[of][part];
  const known =
    coming.get(fetchTexts) ??
    fetchTexts().then(
      ({ texts }) => {
        catalogues.value = { ...catalogues.value, [of]: { ...catalogues.value[of], ...texts } };
      },
      (error: unknown) => {
        coming.delete(fetchTexts);
        throw error;
      },
    );
  coming.set(fetchTexts, known);
  return known;
}

/**
 * Fetches the texts that the first view shows, in the reader's language; resolves when they can be shown.
 * @throws TypeError when the hub does not answer
 */
export function loadFirstTexts(): Promise<void> {
  return load(language.value, "first");
}

/** Fetches those that are not loaded yet. @throws TypeError when the hub does not answer */
export function loadFurther(): Promise<void> {
  return load(language.value, "further");
}

/** Fetches all texts of a language. @throws TypeError when the hub does not answer */
export async function loadLanguage(wanted: Language): Promise<void> {
  await Promise.all([load(wanted, "first"), load(wanted, "further")]);
}

/** A way of writing that is not the reader's own. */
export interface Wording {
  readonly language: Language;
  /** How times and numbers are written (BCP 47). */
  readonly locale: string;
}

let other: Wording | null = null;

/**
 * What `say` gives as somebody else would read it, such as the author of a stored text. Only what is loaded counts
 * (`loadLanguage`); the rest is English.
 */
export function saidIn<Result>(wording: Wording, say: () => Result): Result {
  const before = other;
  other = wording;
  try {
    return say();
  } finally {
    other = before;
  }
}

/** Reads texts in the chosen language, else in English. */
export const reading: Reading = {
  find(key) {
    if (!isTextKey(key)) return null;
    const wanted = other?.language ?? language.value;
    const chosen = catalogues.value[wanted]?.[key];
    if (chosen !== undefined) return { message: chosen, language: wanted };
    const english = catalogues.value.en?.[key];
    return english === undefined ? null : { message: english, language: "en" };
  },
  moment: dateTime,
};

/** Whether there is such a text, among those that are loaded. */
export function isTextKey(key: string): key is TextKey {
  return Object.values(catalogues.value).some((catalogue) => Object.hasOwn(catalogue, key));
}

/** The keys of texts that begin so, among those that are loaded. */
export function keysBeginning(beginning: string): readonly string[] {
  const keys = Object.values(catalogues.value).flatMap((catalogue) => Object.keys(catalogue));
  return [...new Set(keys)].filter((key) => key.startsWith(beginning));
}

/**
 * The text of `key` in the chosen language, with its values; empty until a text beyond the first view has been loaded.
 * @throws RangeError when a value that it needs is missing
 */
export function t(key: TextKey, values: Values = {}): string {
  if (reading.find(key) !== null) return unbroken(textOf(reading, key, values));
  const wanted = other?.language ?? language.value;
  void load(wanted, "further").catch(() => {}); // the caller is drawn again once the texts are loaded
  return "";
}

/**
 * The household's time zone (IANA name), in which moments are shown; undefined until the house has a time zone; the
 * reader's own is used then.
 */
export const houseZone = signal<string | undefined>(undefined);

/** The hour of the day by the clock of the house, 0 to 23. */
export function houseHour(now = Date.now()): number {
  const clock = new Intl.DateTimeFormat("en", { timeZone: houseZone.value, hour: "numeric", hourCycle: "h23" });
  return Number(clock.format(now));
}

/** Whether the clock of the house, or of another place, shows another time than the reader's. */
export function isElsewhere(zone = houseZone.value): boolean {
  const clock = (timeZone: string | undefined): string =>
    new Intl.DateTimeFormat("en", { dateStyle: "short", timeStyle: "short", timeZone }).format();
  return zone !== undefined && clock(zone) !== clock(undefined);
}

/** The locale that dates and numbers are written in. */
export function localeName(): string {
  if (other !== null) return other.locale;
  return language.value === "hi" ? "hi-IN-u-hc-h23" : navigator.language; // its day periods would be English
}

/** A moment this close is shown as a time of day, also across midnight. */
const SAME_NIGHT_S = 6 * 3600;

/**
 * How long ago, in words (`5 minutes ago`, or `5 min ago`), or the date beyond a week. Days are those of the house's
 * calendar.
 */
export function ago(
  iso: string | null | undefined,
  now = shownNow(),
  style: Intl.RelativeTimeFormatStyle = "long",
): string {
  if (iso === null || iso === undefined) return t("time.never");
  const at = Date.parse(iso);
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  const format = new Intl.RelativeTimeFormat(localeName(), { numeric: "auto", style });
  if (size < 10) return t("time.now");
  const inUnits = (value: number, unit: Intl.RelativeTimeFormatUnit): string => withUnits(format.format(value, unit));
  if (size < 60) return inUnits(seconds, "second");
  if (size < 3600) return inUnits(Math.round(seconds / 60), "minute");
  const days = calendarDay(at) - calendarDay(now);
  if (days === 0 || size < SAME_NIGHT_S || (days > 0 && size < 86_400))
    return inUnits(Math.round(seconds / 3600), "hour");
  return Math.abs(days) < 7 ? inUnits(days, "day") : dateTime(iso);
}

/** The number of a moment's day in the calendar of the house; consecutive days have consecutive numbers. */
export function calendarDay(at: number): number {
  const parts = dateFormat("en", {
    timeZone: houseZone.value,
    year: "numeric",
    month: "numeric",
    day: "numeric",
  }).formatToParts(at);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day")) / 86_400_000;
}

/** When something was, as a sentence needs it: `at 18:22`, `yesterday at 18:22`, `on 23 Nov at 18:22`. */
export function whenText(iso: string, now = Date.now()): string {
  const days = calendarDay(now) - calendarDay(Date.parse(iso));
  const time = timeOfDay(iso);
  if (days === 0) return t("when.today", { time });
  if (days === 1) return t("when.yesterday", { time });
  return t("when.day", { day: momentText(iso, { day: "numeric", month: "short" }), time });
}

/** A day's name for a heading: `Today`, `Yesterday`, `Monday, 23 November`. `today`: as `useToday` gives it. */
export function dayName(iso: string, today = calendarDay(Date.now())): string {
  const days = today - calendarDay(Date.parse(iso));
  if (days === 0) return t("when.todayName");
  if (days === 1) return t("when.yesterdayName");
  return momentText(iso, { weekday: "long", day: "numeric", month: "long" });
}

/** Date and time by the clock of the house, in the reader's own form. */
export function dateTime(iso: string): string {
  return momentText(iso, { dateStyle: "medium", timeStyle: "short" });
}

/** When something was made, to the second: tells it from others of its name. */
export function madeText(iso: string): string {
  return t("apart.made", { at: momentText(iso, { dateStyle: "medium", timeStyle: "medium" }) });
}

/** Date and time by the clock of another place. */
export function dateTimeIn(iso: string, timeZone: string): string {
  return momentText(iso, { dateStyle: "full", timeStyle: "short", timeZone });
}

/** Time of day by the clock of the house, in the reader's own form. */
export function timeOfDay(iso: string): string {
  return momentText(iso, { timeStyle: "short" });
}

/** A wall-clock time `HH:MM` in the reader's own form. */
export function clockText(time: string): string {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return dateFormat(localeName(), { timeStyle: "short", timeZone: "UTC" }).format(
    new Date(Date.UTC(2026, 0, 1, hours, minutes)),
  );
}

/** The day at the house in the reader's own form, with its weekday. */
export function dayOf(iso: string): string {
  return momentText(iso, { dateStyle: "full" });
}

/** Time of day with seconds by the clock of the house, as in a log. */
export function clockTime(iso: string): string {
  return momentText(iso, { timeStyle: "medium", hour12: false });
}

function momentText(iso: string, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(localeName(), { timeZone: houseZone.value, ...options }).format(new Date(iso));
}

/** A month `YYYY-MM` as people write it: `Nov 2026`. */
export function monthName(month: string): string {
  return momentText(`${month}-15T12:00:00Z`, { month: "short", year: "numeric" });
}

/** A size in bytes in words (`1.5 MB`). */
export function bytes(count: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  // Single bytes are of no use to readers, and the unit has no plural form here.
  const step = count < 1_000 ? 1 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const format = numberFormat(localeName(), {
    style: "unit",
    unit: units[step] ?? "byte",
    maximumFractionDigits: 1,
  });
  return withUnits(format.format(count / 1000 ** step));
}

/** Day and month in the reader's own form. */
export function shortDate(at: Date): string {
  return dateFormat(localeName(), { day: "numeric", month: "short" }).format(at);
}

/** A length of time in words (`2 h 5 min`). */
export function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return t("time.seconds", { n: Math.round(seconds) });
  if (minutes < 60) return t("time.minutes", { n: minutes });
  if (minutes < 48 * 60 && minutes % 60 === 0) return t("time.hours", { h: minutes / 60 });
  if (minutes < 48 * 60) return t("time.hoursMinutes", { h: Math.floor(minutes / 60), m: minutes % 60 });
  return t("time.days", { n: Math.round(minutes / 1440) });
}

/** Longer times are told in minutes, whatever is added up. */
const LONG_S = 600;

/** A length of time as {@link duration}, with the seconds of a short one: four of 75 s are 5 min, and not 4 times 1. */
export function shortDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60 || whole >= LONG_S || whole % 60 === 0) return duration(whole);
  return t("time.minutesSeconds", { m: Math.floor(whole / 60), s: whole % 60 });
}

/** A number with at most `digits` decimals in the reader's own form. */
export function number(value: number, digits = 1): string {
  return numberFormat(localeName(), { maximumFractionDigits: digits }).format(value);
}
