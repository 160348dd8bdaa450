import { bodyRefused, type Problem } from "../kernel/problem.ts";
import { MOST_WINDOWS, type RuleWindow } from "../plates/decide.ts";
import { detailEnglish } from "../text/english.ts";
import type { Detail } from "../text/keys.ts";
import { storedJson } from "./stored-json.ts";

const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
/** Replaces windows that cannot be read: a rule must not apply at all times because of a broken cell. */
const NEVER: readonly RuleWindow[] = [{ days: [8], from: "00:00", to: "00:01" }];

/** The windows of a stored rule; none: it applies at all times. */
export function storedWindows(text: string | null): readonly RuleWindow[] {
  if (text === null) return [];
  const windows = storedJson<readonly RuleWindow[]>(text, NEVER);
  return Array.isArray(windows) && windows.length > 0 && windows.every(isWindow) ? windows : NEVER;
}

/**
 * Windows as they are stored, days in order; `field`: of the body. @throws Problem invalid_body naming the window that
 * is invalid.
 */
export function windowsText(windows: readonly RuleWindow[] | undefined, field = "/windows"): string | null {
  if (windows === undefined || windows.length === 0) return null;
  if (windows.length > MOST_WINDOWS) throw invalid(field, { code: "refusal.window.tooMany", limit: MOST_WINDOWS });
  for (const [index, window] of windows.entries()) {
    if (!isWindow(window)) throw invalid(`${field}/${index}`, { code: "refusal.window.days" });
    if (window.from === window.to && window.from !== "00:00")
      throw invalid(`${field}/${index}/to`, { code: "refusal.window.same" });
  }
  return JSON.stringify(
    windows.map(({ days, from, to }) => ({ days: [...new Set(days)].sort((a, b) => a - b), from, to })),
  );
}

function isWindow(window: unknown): window is RuleWindow {
  if (typeof window !== "object" || window === null) return false;
  const { days, from, to } = window as Partial<RuleWindow>; // looked at member by member
  const hasDays =
    Array.isArray(days) &&
    days.length > 0 &&
    days.length <= 7 &&
    days.every((day) => Number.isInteger(day) && day >= 1 && day <= 7);
  return hasDays && typeof from === "string" && typeof to === "string" && CLOCK_TIME.test(from) && CLOCK_TIME.test(to);
}

function invalid(field: string, words: Detail): Problem {
  return bodyRefused(field, "window", words, `${field} ${detailEnglish(words)}.`);
}
