/** Items of the feed as people read them: by day, one line for one event. */
import { byDay } from "../../../console/components/by-day.ts";
import { dayName } from "../../../console/i18n/translate.ts";
import type { FeedItem } from "../../../console/store.ts";
import { type Line, linesOf } from "../rules/lines.ts";

/** The lines of one day. */
export interface Day<One extends FeedItem = FeedItem> {
  readonly name: string;
  readonly lines: readonly Line<One>[];
}

/** Items, newest first, as days of lines. `today`: as `useToday` gives it. */
export function daysOf<One extends FeedItem>(items: readonly One[], today?: number): Day<One>[] {
  return byDay(items, ({ at }) => dayName(at, today)).map(({ name, things }) => ({ name, lines: linesOf(things) }));
}
