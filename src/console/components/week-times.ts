/** Times of the week in words. */
import { clockText, type TextKey, t } from "../i18n/translate.ts";

/** A time of the week. */
export interface Window {
  /** 1 = Monday … 7 = Sunday. */
  readonly days: readonly number[];
  /** `HH:MM`; with `to` at or before `from` it reaches over midnight. */
  readonly from: string;
  readonly to: string;
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
