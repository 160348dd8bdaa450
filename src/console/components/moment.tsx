import { shownNow } from "../clock.ts";
import { ago, calendarDay, dateTime, timeOfDay } from "../i18n/translate.ts";

/** A moment: how long ago, and the time itself, in the reader's own time zone. */
export function Moment({ iso, now = shownNow() }: { iso: string; now?: number }) {
  const exact = calendarDay(now) - calendarDay(Date.parse(iso)) < 2 ? timeOfDay(iso) : dateTime(iso);
  return <Exact iso={iso} relative={ago(iso, now)} exact={exact} />;
}

/** Within this time it says more how long ago something was than by which hour, ms. */
const JUST_NOW_MS = 3_600_000;

/** A moment in a list under the name of its day, which it does not say again. */
export function DayMoment({ iso, now = shownNow() }: { iso: string; now?: number }) {
  const exact = timeOfDay(iso);
  return <Exact iso={iso} relative={now - Date.parse(iso) < JUST_NOW_MS ? ago(iso, now) : exact} exact={exact} />;
}

function Exact({ iso, relative, exact }: { iso: string; relative: string; exact: string }) {
  return (
    <time class="soft small" dateTime={iso} title={dateTime(iso)}>
      {relative === exact ? exact : `${relative} · ${exact}`}
    </time>
  );
}
