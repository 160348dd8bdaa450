/** What a period that is not over yet is likely to end with. Pure. */
import type { HouseEnergy } from "../resources/energy.ts";

/** kWh and cost at the end of the period, and what they are worked out from. */
export interface Outlook {
  readonly kwh: number;
  /** Null without prices. */
  readonly cost: number | null;
  /** `before`: the rest like the same hours of the day before; `pace`: the rest at this period's average per day. */
  readonly by: "before" | "pace";
}

const DAY_MS = 86_400_000;
/** An average per day needs this long, and the rest of a day has to be worth telling. */
const SHORTEST_PACE_MS = 2 * DAY_MS;
const SHORTEST_REST_MS = 3_600_000;

/**
 * The likely end of the period that `now` (epoch ms) lies in; null where nothing honest can be said: it is over, hardly
 * anything is left, or too little is known. A day goes on like the day before; anything longer at its own average since
 * the first day with a measurement.
 */
export function outlookOf(energy: HouseEnergy, now: number): Outlook | null {
  const { period, sums, before, buckets } = energy;
  const [from, to] = [Date.parse(energy.from), Date.parse(energy.to)];
  if (now < from || to - now < SHORTEST_REST_MS || sums.used <= 0) return null;
  if (period === "day") {
    const rest = before.sums.used - before.soFar.used;
    if (rest <= 0) return null;
    const cost =
      sums.cost === null || before.sums.cost === null || before.soFar.cost === null
        ? null
        : sums.cost + before.sums.cost - before.soFar.cost;
    return { kwh: sums.used + rest, cost, by: "before" };
  }
  const first = buckets.find(({ used }) => used > 0);
  const known = first === undefined ? 0 : now - Date.parse(first.at);
  if (known < SHORTEST_PACE_MS) return null;
  const more = (to - now) / known;
  return { kwh: sums.used * (1 + more), cost: sums.cost === null ? null : sums.cost * (1 + more), by: "pace" };
}
