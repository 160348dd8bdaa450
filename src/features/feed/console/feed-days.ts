/** Items of the feed as people read them: by day, one line for one event. */
import { calendarDay, dayOf, localeName } from "../../../console/i18n/translate.ts";
import type { FeedItem } from "../../../console/store.ts";

/** One line: what happened, and what else the same event recorded. */
interface Line {
  readonly item: FeedItem;
  /** Newest first, as all. */
  readonly more: readonly FeedItem[];
}

/** The lines of one day. */
export interface Day {
  readonly name: string;
  readonly lines: readonly Line[];
}

/** What belongs to one event comes this close together, ms. */
const TOGETHER_MS = 60_000;
/** Kinds that tell of one opening. The first of them is the line. */
const OPENING = ["gate.opened", "gate.not_opened", "device.event"];

/** Items, newest first, as days of lines. */
export function daysOf(items: readonly FeedItem[], now = Date.now()): Day[] {
  const days = new Map<string, Line[]>();
  const used = new Set<number>();
  for (const item of items) {
    if (used.has(item.id)) continue;
    const group = items.filter((other) => !used.has(other.id) && isSameEvent(item, other));
    for (const one of group) used.add(one.id);
    const [first = item, ...more] = group.toSorted(
      (one, other) => rank(one.kind) - rank(other.kind) || other.id - one.id,
    );
    const name = dayName(item.at, now);
    days.set(name, [...(days.get(name) ?? []), { item: first, more }]);
  }
  return [...days].map(([name, lines]) => ({ name, lines }));
}

function isSameEvent(one: FeedItem, other: FeedItem): boolean {
  if (one.id === other.id) return true;
  if (Math.abs(Date.parse(one.at) - Date.parse(other.at)) > TOGETHER_MS) return false;
  const kinds = [one.kind, other.kind].sort().join(" ");
  // a rule that sends a message records both
  if (kinds === "automation.fired automation.notify") return Math.abs(one.id - other.id) === 1;
  return (
    one.deviceId !== null &&
    one.deviceId === other.deviceId &&
    one.kind !== other.kind &&
    OPENING.includes(one.kind) &&
    OPENING.includes(other.kind)
  );
}

function rank(kind: string): number {
  const place = OPENING.indexOf(kind);
  return kind === "automation.fired" ? 9 : place < 0 ? 0 : place;
}

/** "Today", "Yesterday", or the day with its date. */
function dayName(iso: string, now: number): string {
  const days = calendarDay(Date.parse(iso)) - calendarDay(now);
  if (days < -1 || days > 0) return dayOf(iso);
  const name = new Intl.RelativeTimeFormat(localeName(), { numeric: "auto" }).format(days, "day");
  return name.charAt(0).toLocaleUpperCase() + name.slice(1);
}
