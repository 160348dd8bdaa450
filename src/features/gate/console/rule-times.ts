import { clockText, dateTime, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { PlateRule } from "../resources/plate-rule.ts";

/** A time of the week. */
export type Window = PlateRule["windows"][number];

/** When something holds. */
export interface Bounds {
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly windows: readonly Window[];
}

function dayText(day: number): string {
  return t(`day.${day}` as TextKey); // 1 to 7 are keys of the catalogue
}

/** Days of the week, those in a row as a span: `Mon–Fri`, `Sat, Mon`. */
function daysText(days: readonly number[]): string {
  const sorted = [...new Set(days)].sort((a, b) => a - b);
  if (sorted.length === 7) return t("block.everyDay");
  const spans: number[][] = [];
  for (const day of sorted) {
    const last = spans.at(-1);
    if (last !== undefined && last.at(-1) === day - 1) last.push(day);
    else spans.push([day]);
  }
  return spans
    .map((span) =>
      span.length > 2 ? `${dayText(span[0] ?? 1)}–${dayText(span.at(-1) ?? 1)}` : span.map(dayText).join(", "),
    )
    .join(", ");
}

/** One time of the week: `Mon–Fri 7:00–9:00`. */
export function windowText({ days, from, to }: Window): string {
  if (from === to) return t("when.wholeDay", { days: daysText(days) });
  const times = { days: daysText(days), from: clockText(from), to: clockText(to) };
  return to < from ? t("when.overnight", times) : t("when.window", times);
}

/** When a rule or a pass holds, as a sentence; empty: always. */
export function boundsText({ validFrom, validTo, windows }: Bounds): string {
  const parts = windows.map(windowText);
  if (validFrom !== null && Date.parse(validFrom) > Date.now())
    parts.push(t("rules.from", { at: dateTime(validFrom) }));
  if (validTo !== null)
    parts.push(
      Date.parse(validTo) <= Date.now()
        ? t("when.over", { at: dateTime(validTo) })
        : t("rules.to", { at: dateTime(validTo) }),
    );
  return parts.join(" · ");
}
