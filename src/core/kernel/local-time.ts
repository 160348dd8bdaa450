/**
 * Local clock times of a time zone as instants, and back. Two rules that every schedule follows: a local time that
 * daylight saving skips is the first instant after the gap; one that occurs twice is the first of the two.
 */
import { IANAZone } from "luxon";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Clocks change at a quarter hour of UTC everywhere. */
const QUARTER_MS = 900_000;
/**
 * Offsets range from −12 to +14 hours, and one zone once skipped a whole day: a day and a half to each side sees every
 * change.
 */
const PROBE_MS = 1.5 * DAY_MS;

/** A calendar day without a zone, as days since 1970-01-01. */
export type DayNumber = number;

/** Offset of a zone from UTC at an instant, in milliseconds (east positive). An unknown zone counts as UTC. */
export function offsetAt(timeZone: string, instantMs: number): number {
  const zone = IANAZone.create(timeZone);
  return zone.isValid ? zone.offset(instantMs) * MINUTE_MS : 0;
}

/** The local calendar day at an instant. */
export function dayAt(timeZone: string, instantMs: number): DayNumber {
  return Math.floor((instantMs + offsetAt(timeZone, instantMs)) / DAY_MS);
}

/** Minutes since local midnight on the wall clock at an instant. */
export function minuteOfDayAt(timeZone: string, instantMs: number): number {
  const local = instantMs + offsetAt(timeZone, instantMs);
  return Math.floor((local - Math.floor(local / DAY_MS) * DAY_MS) / MINUTE_MS);
}

/** ISO weekday of a calendar day: 1 = Monday … 7 = Sunday. */
export function weekdayOf(day: DayNumber): number {
  return ((((day + 3) % 7) + 7) % 7) + 1; // 1970-01-01 was a Thursday
}

/** Whether `days` (ISO weekdays, 0 = Sunday too; none = every day) name the weekday of `day`. */
export function daysInclude(days: readonly number[] | undefined, day: DayNumber): boolean {
  if (days === undefined || days.length === 0) return true;
  const weekday = weekdayOf(day);
  return days.some((one) => (one === 0 ? 7 : one) === weekday);
}

/** Minutes since midnight of a clock time `HH:MM`. */
export function minutesOf(clockTime: string): number {
  return Number(clockTime.slice(0, 2)) * 60 + Number(clockTime.slice(3, 5));
}

/**
 * The instant at which the wall clock of `timeZone` first shows `minutes` since midnight of `day`, by the two rules
 * above.
 */
export function instantOf(timeZone: string, day: DayNumber, minutes: number): number {
  const local = day * DAY_MS + minutes * MINUTE_MS;
  const before = offsetAt(timeZone, local - PROBE_MS);
  const after = offsetAt(timeZone, local + PROBE_MS);
  const candidates = [...new Set([before, after])]
    .map((offset) => local - offset)
    .filter((instant) => instant + offsetAt(timeZone, instant) === local)
    .sort((a, b) => a - b);
  return candidates[0] ?? firstInstantAfterGap(timeZone, local, before, after);
}

/** Between the instants that the two offsets would give, the clocks jump over `local`: finds the jump. */
function firstInstantAfterGap(timeZone: string, local: number, before: number, after: number): number {
  let early = local - Math.max(before, after);
  let late = local - Math.min(before, after);
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (middle + offsetAt(timeZone, middle) < local) early = middle;
    else late = middle;
  }
  return late;
}

/**
 * A time of day on some days of the week. With `to` at or before `from` it extends past midnight; `days` name the day
 * on which it starts (none: every day).
 */
export interface LocalWindow {
  /** `HH:MM`. */
  readonly from: string;
  readonly to: string;
  readonly days?: readonly number[];
}

/**
 * Whether the wall clock of `timeZone` shows a time in [from, to) at an instant. An hour that occurs twice is in the
 * window twice; one that is skipped is not.
 */
export function isInWindow({ from, to, days }: LocalWindow, timeZone: string, instantMs: number): boolean {
  const [first, end] = [minutesOf(from), minutesOf(to)];
  const minute = minuteOfDayAt(timeZone, instantMs);
  const day = dayAt(timeZone, instantMs);
  const today = first < end ? minute >= first && minute < end : minute >= first;
  const sinceYesterday = first >= end && minute < end;
  return (today && daysInclude(days, day)) || (sinceYesterday && daysInclude(days, day - 1));
}

/** Writes instants as the wall clock of a zone shows them, with the offset: `2026-03-01T17:30:00.000+05:30`. */
export function localTimes(timeZone: string): (at: number) => string {
  let quarter = Number.NaN;
  let offset = 0;
  let suffix = "";
  return (at) => {
    if (Math.floor(at / QUARTER_MS) !== quarter) {
      quarter = Math.floor(at / QUARTER_MS);
      offset = offsetAt(timeZone, at);
      const minutes = Math.abs(Math.round(offset / 60_000));
      const two = (part: number): string => String(part).padStart(2, "0");
      suffix = `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    }
    return new Date(at + offset).toISOString().slice(0, -1) + suffix;
  };
}
