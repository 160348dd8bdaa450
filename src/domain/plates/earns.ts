import { isInWindow } from "../automation/local-time.js";
import { EARNINGS, type Earns, type LocalMoment, type RuleWindow } from "./decide.js";

/** What a plate earns whose rule does not say, where and when this holds. */
export interface EarnsDefault {
  readonly earns: Earns;
  /** One camera; null: all of them. */
  readonly deviceId: string | null;
  /** Empty: at all times. */
  readonly windows: readonly RuleWindow[];
  /** Only while the house is away. */
  readonly away: boolean;
}

/** Most defaults of one household. */
export const MOST_EARNS_DEFAULTS = 20;

/**
 * What an allowed plate earns: what its rule says; where that says nothing, the strictest of the defaults that hold
 * now, and `open` where none does.
 * @param isAway whether the house is away; where that is not known it is, because a gate fails shut
 */
export function earnedBy(
  ruled: Earns | null,
  defaults: readonly EarnsDefault[],
  { deviceId, isAway, at, timeZone }: LocalMoment & { readonly deviceId: string; readonly isAway: boolean },
): Earns {
  if (ruled !== null) return ruled;
  const holding = defaults.filter(
    (one) =>
      (one.deviceId === null || one.deviceId === deviceId) &&
      (!one.away || isAway) &&
      (one.windows.length === 0 || one.windows.some((window) => isInWindow(window, timeZone, at))),
  );
  return strictestOf(holding.map(({ earns }) => earns));
}

/** The strictest of some; `open` where there is none. */
function strictestOf(some: readonly Earns[]): Earns {
  return EARNINGS[Math.max(0, ...some.map((earns) => EARNINGS.indexOf(earns)))] ?? "note";
}
