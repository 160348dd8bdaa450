/**
 * When wall-clock triggers are due. There is at most one occurrence per local day; its instant identifies it. Pure:
 * takes the starting instant as an argument, never reads a clock.
 */
import { type DayNumber, dayAt, daysInclude, instantOf, minutesOf } from "../../../core/kernel/local-time.ts";
import type { SunTrigger, TimeTrigger } from "./rule.ts";
import { sunEvent, sunPlace } from "./sun.ts";
import type { SitePlace } from "./world.ts";

/** A trigger that depends on the wall clock. */
export type ScheduleTrigger = TimeTrigger | SunTrigger;

const MINUTE_MS = 60_000;
/** The longest search without an occurrence: a polar night, and the weekday required after it. */
const SEARCH_DAYS = 400;

/** The first occurrence after `afterMs`; null when none comes within 400 days (or the coordinates are unknown). */
export function nextOccurrence(trigger: ScheduleTrigger, place: SitePlace, afterMs: number): number | null {
  const first = dayAt(place.timeZone, afterMs) - 1; // an offset may carry an occurrence of the day before over to today
  for (let day = first; day <= first + SEARCH_DAYS; day++) {
    const instant = occurrenceOn(trigger, place, day);
    if (instant !== null && instant > afterMs) return instant;
  }
  return null;
}

/** The last occurrence at or before `untilMs`; null when there was none in the 8 days before. */
export function lastOccurrence(trigger: ScheduleTrigger, place: SitePlace, untilMs: number): number | null {
  const last = dayAt(place.timeZone, untilMs) + 1;
  for (let day = last; day >= last - 9; day--) {
    const instant = occurrenceOn(trigger, place, day);
    if (instant !== null && instant <= untilMs) return instant;
  }
  return null;
}

/** The occurrence that belongs to a local day; null when that day has none. */
function occurrenceOn(trigger: ScheduleTrigger, place: SitePlace, day: DayNumber): number | null {
  if (!daysInclude(trigger.days, day)) return null;
  if (trigger.type === "time") return instantOf(place.timeZone, day, minutesOf(trigger.at));
  const where = sunPlace(place);
  const event = where === null ? null : sunEvent(trigger.event, where, day);
  return event === null ? null : event + (trigger.offsetMinutes ?? 0) * MINUTE_MS;
}
