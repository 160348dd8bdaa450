/** When, and which gates, a member may open: how that is stored, compared and judged. */
import { dayAt, instantOf, isInWindow, minutesOf } from "../../../core/kernel/local-time.ts";
import { areWithin, type RuleWindow } from "../../../core/plates/decide.ts";
import { storedJson } from "../../../core/storage/stored-json.ts";
import { storedWindows, windowsText } from "../../../core/storage/stored-windows.ts";

/** What a person may open, and when. */
export interface Limits {
  /** Times of the week in the zone of the house; none: any time. */
  readonly times: readonly RuleWindow[];
  /** Devices that let people in or guard the house; null: all. */
  readonly gates: readonly string[] | null;
}

/** What a cell that cannot be read allows, and somebody who is gone: it must not free anybody. */
export const NOTHING: Limits = { times: [{ days: [8], from: "00:00", to: "00:01" }], gates: [] };

/** The limits of a stored text; null: none. */
export function storedLimits(text: string | null): Limits | null {
  if (text === null) return null;
  const found = storedJson<{ readonly times?: unknown; readonly gates?: unknown } | null>(text, null);
  if (found === null || !Array.isArray(found.times) || !isGates(found.gates)) return NOTHING;
  return { times: found.times.length === 0 ? [] : storedWindows(JSON.stringify(found.times)), gates: found.gates };
}

/**
 * Limits as they are stored, the same ones always as the same text; null: none, also where they limit nothing.
 * @throws Problem `invalid_body` naming the invalid time
 */
export function limitsText(limits: Limits | null): string | null {
  if (limits === null) return null;
  const times = JSON.parse(windowsText(limits.times, "/limits/times") ?? "[]") as RuleWindow[]; // written by windowsText
  const gates = limits.gates === null ? null : [...new Set(limits.gates)].sort();
  return times.length === 0 && gates === null ? null : JSON.stringify({ times, gates });
}

/** Whether `next` lets somebody open at a time, or a gate, that `before` did not. */
export function areWider(before: Limits | null, next: Limits | null): boolean {
  if (before === null) return false;
  if (next === null) return true;
  const isLonger = before.times.length > 0 && (next.times.length === 0 || !areWithin(next.times, before.times));
  const { gates } = before;
  const isMore = gates !== null && (next.gates === null || next.gates.some((id) => !gates.includes(id)));
  return isLonger || isMore;
}

/** Whether the times of limits hold at a moment; `at` null: nobody knows what time it is. */
export function holdNow({ times }: Limits, timeZone: string, at: number | null): boolean {
  return times.length === 0 || (at !== null && times.some((time) => isInWindow(time, timeZone, at)));
}

/** A week, and the day before, whose times may reach over midnight. */
const DAYS_AHEAD = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8];

/** When times of limits next begin or end after `at`, epoch milliseconds; null: never. */
export function nextChange(limits: Limits, timeZone: string, at: number): number | null {
  const now = holdNow(limits, timeZone, at);
  const today = dayAt(timeZone, at);
  const edges = DAYS_AHEAD.flatMap((ahead) =>
    limits.times.flatMap(({ from, to }) =>
      [from, to].map((edge) => instantOf(timeZone, today + ahead, minutesOf(edge))),
    ),
  );
  const later = edges.filter((edge) => edge > at).sort((a, b) => a - b);
  return later.find((edge) => holdNow(limits, timeZone, edge) !== now) ?? null;
}

function isGates(gates: unknown): gates is readonly string[] | null {
  return gates === null || (Array.isArray(gates) && gates.every((id) => typeof id === "string"));
}
