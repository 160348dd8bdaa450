import { useComputed } from "@preact/signals";
import { shownNow } from "../clock.ts";
import { calendarDay } from "../i18n/translate.ts";

/** The number of today in the calendar of the house ({@link calendarDay}): what asks is drawn again at midnight. */
export function useToday(): number {
  return useComputed(() => calendarDay(shownNow())).value;
}
