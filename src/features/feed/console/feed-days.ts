/** Items of the feed as people read them: by day, one line for one event. */
import { byDay } from "../../../console/components/by-day.ts";
import { calendarDay, dayOf, localeName } from "../../../console/i18n/translate.ts";
import type { FeedItem } from "../../../console/store.ts";
import { type Line, linesOf } from "../rules/lines.ts";

/** The lines of one day. */
export interface Day<One extends FeedItem = FeedItem> {
  readonly name: string;
  readonly lines: readonly Line<One>[];
}

/** Items, newest first, as days of lines. */
export function daysOf<One extends FeedItem>(items: readonly One[], now = Date.now()): Day<One>[] {
  return byDay(items, ({ at }) => dayName(at, now)).map(({ name, things }) => ({ name, lines: linesOf(things) }));
}

/** "Today", "Yesterday", or the day with its date. */
export function dayName(iso: string, now = Date.now()): string {
  const days = calendarDay(Date.parse(iso)) - calendarDay(now);
  if (days < -1 || days > 0) return dayOf(iso);
  const name = new Intl.RelativeTimeFormat(localeName(), { numeric: "auto" }).format(days, "day");
  return name.charAt(0).toLocaleUpperCase() + name.slice(1);
}
