import { Button, Chip, IconButton } from "../../../console/components/button.tsx";
import { DayPick } from "../../../console/components/day-pick.tsx";
import { isElsewhere, type TextKey, t } from "../../../console/i18n/translate.ts";
import "../../../console/components/history.css";
import { zoneDate } from "../../../console/components/zone-time.ts";

/** A calendar period. */
export type Period = "day" | "week" | "month" | "year";

const PERIODS: readonly Period[] = ["day", "week", "month", "year"];
const TEXT: Readonly<Record<Period, TextKey>> = {
  day: "history.day",
  week: "history.week",
  month: "history.month",
  year: "history.year",
};

/** `2026-03-01` moved by `count` periods. */
export function movedDate(date: string, period: Period, count: number): string {
  const [year = 1970, month = 1, day = 1] = date.split("-").map(Number);
  const moved =
    period === "day" || period === "week"
      ? new Date(Date.UTC(year, month - 1, day + count * (period === "week" ? 7 : 1)))
      : new Date(Date.UTC(period === "year" ? year + count : year, month - 1 + (period === "month" ? count : 0), 1));
  return moved.toISOString().slice(0, 10);
}

/** The first day of the period that contains a day; weeks start on Monday. */
export function periodStart(date: string, period: Period): string {
  if (period === "day") return date;
  if (period === "week") return movedDate(date, "day", -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));
  return period === "month" ? `${date.slice(0, 7)}-01` : `${date.slice(0, 4)}-01-01`;
}

/** A period in words: `Sunday, 1 March 2026`, `March 2026`, `2026`. */
export function periodName(date: string, period: Period): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  if (period === "day") return zoneDate(at, "UTC", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
  if (period === "month") return zoneDate(at, "UTC", { month: "long", year: "numeric" });
  if (period === "year") return zoneDate(at, "UTC", { year: "numeric" });
  const last = Date.parse(`${movedDate(date, "day", 6)}T00:00:00Z`);
  const options = { day: "numeric", month: "short", year: "numeric" } as const;
  return `${zoneDate(at, "UTC", { day: "numeric", month: "short" })} – ${zoneDate(last, "UTC", options)}`;
}

/** A period as the title of its chart: in few words, with the year only where it is not this one. */
export function periodTitle(date: string, period: Period, today: string): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  const isThisYear = date.slice(0, 4) === today.slice(0, 4);
  const year = isThisYear ? {} : ({ year: "numeric" } as const);
  if (period === "day") return zoneDate(at, "UTC", { weekday: "short", day: "numeric", month: "short", ...year });
  if (period !== "week" || !isThisYear) return periodName(date, period);
  const last = Date.parse(`${movedDate(date, "day", 6)}T00:00:00Z`);
  return `${zoneDate(at, "UTC", { day: "numeric", month: "short" })} – ${zoneDate(last, "UTC", { day: "numeric", month: "short" })}`;
}

/** The last day of a period, as a sentence names it: `30 Nov`. */
export function lastDayOf(date: string, period: Period): string {
  const last = Date.parse(`${movedDate(movedDate(date, period, 1), "day", -1)}T00:00:00Z`);
  return zoneDate(last, "UTC", { day: "numeric", month: "short" });
}

/** Choice of a period, back and forward, and a day to go to. */
export function PeriodBar({
  period,
  date,
  today,
  zone,
  onChange,
}: {
  period: Period;
  /** First day of the period shown. */
  date: string;
  today: string;
  /** Named below the period. */
  zone: string;
  onChange: (period: Period, date: string) => void;
}) {
  const next = movedDate(date, period, 1);
  return (
    <>
      <div class="history-tools">
        <div class="chips one-row" role="group" aria-label={t("device.window")}>
          {PERIODS.map((name) => (
            <Chip
              key={name}
              text={t(TEXT[name])}
              pressed={name === period}
              onClick={() => onChange(name, period === "day" || date > today ? date : next > today ? today : date)}
            />
          ))}
        </div>
      </div>
      <div class="history-tools period">
        <IconButton
          icon="chevronLeft"
          label={t("history.back")}
          framed
          onClick={() => onChange(period, movedDate(date, period, -1))}
        />
        <DayPick
          text={periodTitle(date, period, today)}
          value={date}
          max={today}
          onPick={(day) => onChange(period, day)}
        />
        <IconButton
          icon="chevronRight"
          label={t("history.forward")}
          framed
          disabled={next > today}
          onClick={() => onChange(period, next)}
        />
        {next <= today && <Button text={t("history.now")} onClick={() => onChange(period, today)} />}
      </div>
      {isElsewhere() && <p class="soft small">{t("history.zone", { zone })}</p>}
    </>
  );
}
