import { shownNow } from "../clock.ts";
import { ago, calendarDay, dateTime, timeOfDay } from "../i18n/translate.ts";

/** A moment: how long ago, and the time itself, in the reader's own time zone. */
export function Moment({ iso, now = shownNow() }: { iso: string; now?: number }) {
  const exact = calendarDay(now) - calendarDay(Date.parse(iso)) < 2 ? timeOfDay(iso) : dateTime(iso);
  const relative = ago(iso, now);
  return <Exact iso={iso} text={relative === exact ? exact : `${relative} · ${exact}`} />;
}

/** Within this time it says more how long ago something was than by which hour, ms. */
const JUST_NOW_MS = 3_600_000;

/** A moment in a list under the name of its day, which it does not say again, in the few letters of a column. */
export function DayMoment({ iso, now = shownNow() }: { iso: string; now?: number }) {
  return <Exact iso={iso} text={now - Date.parse(iso) < JUST_NOW_MS ? ago(iso, now, "short") : timeOfDay(iso)} />;
}

function Exact({ iso, text }: { iso: string; text: string }) {
  return (
    <time class="soft small" dateTime={iso} title={dateTime(iso)}>
      {text}
    </time>
  );
}
