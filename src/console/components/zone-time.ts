/** Times in the household's zone, which need not be the browser's. */
import { type DateFormat, dateFormat } from "../i18n/formats.ts";
import { houseZone, localeName } from "../i18n/translate.ts";

/** The length of one step back or forward in time. */
export type Span = "hour" | "day" | "week" | "month" | "year";

const HOUR_MS = 3_600_000;
const FIXED_MS: Readonly<Partial<Record<Span, number>>> = { hour: HOUR_MS };

interface Local {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function format(zone: string, options: Intl.DateTimeFormatOptions, locale = localeName()): DateFormat {
  return dateFormat(locale, { ...options, timeZone: zone });
}

/** What a calendar and a clock of the zone show at a moment (epoch ms). */
export function localParts(at: number, zone: string): Local {
  const options = {
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  } as const;
  const parts = Object.fromEntries(
    format(zone, options, "en-US")
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day, hour, minute, second };
}

/** The moment at which the zone's clock shows this; if a clock change skips it, the one just after. */
function momentOf({ year, month, day, hour, minute, second }: Local, zone: string): number {
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second);
  const offset = (at: number): number => {
    const shown = localParts(at, zone);
    return (
      Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second) -
      Math.floor(at / 1000) * 1000
    );
  };
  const first = wanted - offset(wanted);
  return wanted - offset(first);
}

/**
 * The zone in which the console shows and reads moments: the household's, or the browser's until the house has a time
 * zone.
 */
export function shownZone(): string {
  return houseZone.value ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A moment (ISO 8601) as a `datetime-local` field shows it; empty for none. */
export function localMoment(iso: string | null): string {
  if (iso === null) return "";
  const { hour, minute } = localParts(Date.parse(iso), shownZone());
  return `${dayOf(Date.parse(iso), shownZone())}T${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** The moment (ISO 8601) that a `datetime-local` field holds, which is never empty here. */
export function momentOfField(typed: string): string {
  const [year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0] = typed.split(/[-T:.]/).map(Number);
  return new Date(momentOf({ year, month, day, hour, minute, second }, shownZone())).toISOString();
}

/** The same time of day `count` spans later (earlier if negative) by the zone's calendar. */
export function shifted(at: number, span: Span, count: number, zone: string): number {
  const fixed = FIXED_MS[span];
  if (fixed !== undefined) return at + count * fixed;
  const local = localParts(at, zone);
  const days = span === "day" ? count : span === "week" ? 7 * count : 0;
  const months = span === "month" ? count : span === "year" ? 12 * count : 0;
  const first = new Date(Date.UTC(local.year, local.month - 1 + months, 1));
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return momentOf(
    {
      ...local,
      year: first.getUTCFullYear(),
      month: first.getUTCMonth() + 1,
      day: (months === 0 ? local.day : Math.min(local.day, lastDay)) + days,
    },
    zone,
  );
}

/** `2026-03-01` of a moment. */
export function dayOf(at: number, zone: string): string {
  const { year, month, day } = localParts(at, zone);
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** The first moment of `2026-03-01`. */
export function startOfDay(day: string, zone: string): number {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  return momentOf({ year, month, day: date, hour: 0, minute: 0, second: 0 }, zone);
}

/** Hours and minutes: `00:08` on the reader's clock of 24 hours, `6:08 am` on one of twelve. */
function clockTime(zone: string): Intl.DateTimeFormatOptions {
  const { hourCycle } = format(zone, { hour: "numeric" }).resolvedOptions();
  return { hour: hourCycle === "h23" || hourCycle === "h24" ? "2-digit" : "numeric", minute: "2-digit" };
}

/** Date and time, with seconds if the moments shown are that close together. */
export function zoneMoment(at: number, zone: string, seconds = false): string {
  return format(zone, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    ...clockTime(zone),
    ...(seconds ? { second: "2-digit" } : {}),
  }).format(at);
}

/** Time of day. */
export function zoneTime(at: number, zone: string, seconds = false): string {
  return format(zone, { ...clockTime(zone), ...(seconds ? { second: "2-digit" } : {}) }).format(at);
}

/** From one time of day to another: `6:25 – 6:39 am`; with the dates where these differ. */
export function zoneTimes(from: number, to: number, zone: string): string {
  return format(zone, clockTime(zone)).formatRange(from, to);
}

/** A full hour (`6 am`, `06`), as a scale under bars has it. */
export function zoneHour(at: number, zone: string): string {
  return format(zone, { hour: "numeric" }).format(at);
}

/** Day and month, with the year where it matters. */
export function zoneDate(
  at: number,
  zone: string,
  options: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" },
): string {
  return format(zone, options).format(at);
}

/** A time range in as few words as possible. */
export function zoneStretch(from: number, to: number, zone: string): string {
  const options: Intl.DateTimeFormatOptions = {
    day: "numeric",
    month: "short",
    year: "numeric",
    ...(to - from < 8 * 24 * HOUR_MS ? clockTime(zone) : {}),
  };
  return format(zone, options).formatRange(from, to);
}

/** Zones that browsers list by a name which their city no longer has, with the one it has. */
const RENAMED: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Godthab": "America/Nuuk",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** A zone by the name that it has today: Asia/Kolkata, where a browser says Asia/Calcutta. */
export function zoneToday(zone: string): string {
  return RENAMED[zone] ?? zone;
}

/** A zone in the reader's words, with its offset from UTC: `India Standard Time (GMT+5:30)`. */
export function zoneName(zone: string, at = Date.now()): string {
  const named = (timeZoneName: "longGeneric" | "shortOffset", locale?: string): string | undefined =>
    format(zone, { timeZoneName }, locale)
      .formatToParts(at)
      .find(({ type }) => type === "timeZoneName")?.value;
  const [name, offset = "UTC"] = [named("longGeneric"), named("shortOffset", "en-US")];
  return name === undefined || name.startsWith("GMT") ? offset : `${name} (${offset})`;
}
