import { ago, calendarDay, dateTime, timeOfDay } from "../i18n/translate.ts";

/** A moment: how long ago, and the time itself, in the reader's own time zone. */
export function Moment({ iso, now = Date.now() }: { iso: string; now?: number }) {
  const [relative, exact] = [
    ago(iso, now),
    calendarDay(now) - calendarDay(Date.parse(iso)) < 2 ? timeOfDay(iso) : dateTime(iso),
  ];
  return (
    <time class="soft small" dateTime={iso} title={dateTime(iso)}>
      {relative === exact ? exact : `${relative} · ${exact}`}
    </time>
  );
}
