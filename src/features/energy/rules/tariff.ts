/** What energy costs at which time of the household's day. Pure. */
import { DateTime } from "luxon";
import { minutesOf } from "../../../core/kernel/local-time.ts";
import { Slices } from "../../../core/kernel/slices.ts";
import { QUARTER_MS } from "../../telemetry/rules/energy.ts";

/** A price at some times of the day on some days of the week. */
interface TariffPeriod {
  /** ISO weekdays (1 = Monday); empty: every day. */
  readonly days: readonly number[];
  /** `HH:MM`, on a quarter hour. */
  readonly from: string;
  /** `HH:MM`; at or before `from`: past midnight. */
  readonly to: string;
  readonly perKwh: number;
}

/** The prices from a certain day on. */
export interface TariffPrices {
  /** Local date `2026-04-01`; null: from the beginning. */
  readonly validFrom: string | null;
  readonly perKwh: number;
  /** The grid's payment for exported energy. */
  readonly exportPerKwh: number;
  /** The first that matches applies; at all other times `perKwh`. */
  readonly periods: readonly TariffPeriod[];
}

/** A household's currency and prices. */
export interface Tariff {
  /** ISO 4217, such as `INR`. */
  readonly currency: string;
  readonly prices: readonly TariffPrices[];
}

/** Prices of each quarter hour of a time range. */
export interface QuarterPrices {
  readonly perKwh: Float64Array;
  readonly exportPerKwh: Float64Array;
}

const DAY_MINUTES = 1_440;

/**
 * The prices of `count` quarter hours from `fromMs`, in the household's zone (IANA name), computed in slices; null
 * where no price is set.
 */
export async function quarterPrices(
  tariff: Tariff | null,
  stretch: { fromMs: number; count: number; timeZone: string },
): Promise<QuarterPrices | null> {
  const { fromMs, count, timeZone } = stretch;
  const prices = [...(tariff?.prices ?? [])].sort((left, right) =>
    (left.validFrom ?? "").localeCompare(right.validFrom ?? ""),
  );
  if (!prices.some((price) => price.perKwh > 0 || price.exportPerKwh > 0 || price.periods.length > 0)) return null;
  const [perKwh, exportPerKwh] = [new Float64Array(count), new Float64Array(count)];
  const slices = new Slices();
  for (let place = 0; place < count; ) {
    if (slices.isDue) await slices.next();
    const local = DateTime.fromMillis(fromMs + place * QUARTER_MS, { zone: timeZone });
    const date = local.toISODate() ?? "";
    const price = prices.findLast(({ validFrom }) => validFrom === null || validFrom <= date);
    const dayEnd = Math.min(
      count,
      place +
        Math.max(1, Math.round((local.plus({ days: 1 }).startOf("day").toMillis() - local.toMillis()) / QUARTER_MS)),
    );
    if (price === undefined) {
      place = dayEnd;
      continue;
    }
    const isEven =
      local.startOf("day").plus({ days: 1 }).toMillis() - local.startOf("day").toMillis() === DAY_MINUTES * 60_000;
    for (const begun = place; place < dayEnd; place++) {
      exportPerKwh[place] = price.exportPerKwh;
      if (price.periods.length === 0) perKwh[place] = price.perKwh;
      else {
        // The time of day fails to advance evenly only on a day with a clock change.
        const at = isEven
          ? local.hour * 60 + local.minute + (place - begun) * 15
          : minuteOf(DateTime.fromMillis(fromMs + place * QUARTER_MS, { zone: timeZone }));
        perKwh[place] = price.periods.find((period) => holds(period, at, local.weekday))?.perKwh ?? price.perKwh;
      }
    }
  }
  return { perKwh, exportPerKwh };
}

function minuteOf(local: DateTime): number {
  return local.hour * 60 + local.minute;
}

/** A period past midnight belongs to the day on which it starts. */
function holds({ days, from, to }: TariffPeriod, minute: number, weekday: number): boolean {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const isDay = (day: number): boolean => days.length === 0 || days.includes(day);
  if (start < end) return minute >= start && minute < end && isDay(weekday);
  return (minute >= start && isDay(weekday)) || (minute < end && isDay(weekday === 1 ? 7 : weekday - 1));
}
