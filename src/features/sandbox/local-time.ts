import { DateTime } from "luxon";

/** Local time of day in hours (0 to 24) in a time zone. */
export function hourIn(timeZone: string): (epochMs: number) => number {
  return (epochMs) => {
    const local = DateTime.fromMillis(epochMs, { zone: timeZone });
    return local.hour + local.minute / 60 + local.second / 3600;
  };
}

/** Midnights of the `count` local days that end with the day of `epochMs`, oldest first, with their ISO weekday. */
export function localDays(epochMs: number, timeZone: string, count: number): { midnight: number; weekday: number }[] {
  const today = DateTime.fromMillis(epochMs, { zone: timeZone }).startOf("day");
  return Array.from({ length: count }, (_, index) => {
    const day = today.minus({ days: count - 1 - index });
    return { midnight: day.toMillis(), weekday: day.weekday };
  });
}
