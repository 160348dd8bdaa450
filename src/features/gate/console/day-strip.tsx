import { IconButton } from "../../../console/components/button.tsx";
import { useToday } from "../../../console/components/today.ts";
import { dayOf, shifted, shownZone, startOfDay, zoneHour, zoneTime } from "../../../console/components/zone-time.ts";
import { dayName, t } from "../../../console/i18n/translate.ts";
import { type HourCounts, hoursOfDay } from "./day-model.ts";

/** The 24 hours of a day, how busy each was, and a slider that scrubs through them. */
export function DayStrip({
  day,
  hours,
  hour,
  about: all,
  onDay,
  onHour,
}: {
  /** `2026-03-01` */
  day: string;
  hours: readonly HourCounts[] | null;
  /** The hour that the list begins with; null: the end of the day. */
  hour: number | null;
  /** What the list shows, in words. */
  about: string;
  onDay: (day: string) => void;
  onHour: (hour: number | null) => void;
}) {
  const zone = shownZone();
  const start = startOfDay(day, zone);
  const sums = hoursOfDay(hours ?? [], day);
  const most = Math.max(1, ...sums.map(({ all }) => all));
  const today = dayOf(Date.now(), zone);
  const turn = (way: 1 | -1): void => onDay(dayOf(shifted(start, "day", way, zone), zone));
  const clock = (at: number): string => zoneTime(start + at * 3_600_000, zone);
  const shown = hour ?? 23;
  const about =
    hour === null ? all : t("day.hour", { from: clock(hour), to: clock(hour + 1), n: sums[hour]?.all ?? 0 });
  return (
    <section class="day-strip" aria-label={t("day.strip")}>
      <div class="row between">
        <div class="row day-turn">
          <IconButton icon="chevronLeft" label={t("day.before")} onClick={() => turn(-1)} />
          <h2>{dayName(new Date(start).toISOString(), useToday())}</h2>
          <IconButton icon="chevronRight" label={t("day.after")} disabled={day >= today} onClick={() => turn(1)} />
        </div>
        <output class="soft small">{about}</output>
      </div>
      <div class="strip">
        <div class="strip-bars" aria-hidden="true">
          {sums.map(({ all, deny }, index) => (
            <span
              key={index}
              data-here={hour === index}
              data-deny={deny > 0}
              style={{ "--heat": String(all / most) }}
            />
          ))}
        </div>
        <input
          type="range"
          min="0"
          max="23"
          value={shown}
          aria-label={t("day.scrub")}
          aria-valuetext={about}
          onInput={(event) => onHour(Number(event.currentTarget.value))}
        />
      </div>
      <div class="strip-hours soft" aria-hidden="true">
        {[0, 6, 12, 18].map((at) => (
          <span key={at}>{zoneHour(start + at * 3_600_000, zone)}</span>
        ))}
      </div>
    </section>
  );
}
