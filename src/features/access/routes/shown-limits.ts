import type { Limits } from "../rules/limits.ts";

/** Limits in the shape of an answer. */
export function shownLimits(limits: Limits) {
  return { times: shownTimes(limits.times), gates: limits.gates === null ? null : [...limits.gates] };
}

/** Times of the week in the shape of an answer. */
export function shownTimes(times: Limits["times"]) {
  return times.map(({ days, from, to }) => ({ days: [...days], from, to }));
}
