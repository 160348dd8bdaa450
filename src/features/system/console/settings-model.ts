/** The hub's settings as the settings page shows, groups, checks and sends them. */

import { faultText } from "../../../console/i18n/hub-texts.ts";
import type { TextKey } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { Part } from "../../../core/settings/builders.ts";

/** A setting as the hub describes it. */
export type Setting = AnswerTo<"GET", "/api/settings">["settings"][number];

/** What a person entered for a setting: text as typed, or a ticked box; null: back to its default. */
export type Draft = string | boolean | null;

/** The sections of the page, in order. */
export const PARTS: readonly (readonly [title: TextKey, part: Part])[] = [
  ["settings.partHome", "home"],
  ["settings.partGate", "gate"],
  ["settings.partKept", "kept"],
  ["settings.partSafety", "safety"],
  ["settings.partNetwork", "network"],
  ["settings.partUpkeep", "upkeep"],
];

/** A value as its field shows it. */
export function typed(value: unknown): string | boolean {
  if (typeof value === "boolean") return value;
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** The value of a draft; null: the default. */
export function draftValue(setting: Setting, draft: Draft): unknown {
  if (typeof draft !== "string") return draft;
  if (setting.kind === "integer" || setting.kind === "number") return Number(draft.trim());
  if (setting.kind !== "list") return draft;
  return draft.split(/[\s,]+/).filter((part) => part !== "");
}

/** The error in a draft, in words; null if the browser finds none. */
export function wrongWith(setting: Setting, draft: Draft | undefined): string | null {
  if (typeof draft !== "string" || (setting.kind !== "integer" && setting.kind !== "number")) return null;
  const say = (code: string, values: Record<string, string | number>): string =>
    faultText({ field: setting.key, code, message: "", values });
  const value = draft.trim() === "" ? Number.NaN : Number(draft);
  if (!Number.isFinite(value) || (setting.kind === "integer" && !Number.isInteger(value)))
    return say("wrong_type", { type: setting.kind });
  if (setting.minimum !== null && value < setting.minimum)
    return say("out_of_range", { side: "least", limit: setting.minimum });
  if (setting.maximum !== null && value > setting.maximum)
    return say("out_of_range", { side: "most", limit: setting.maximum });
  return null;
}

/** Whether a setting waits for a restart. */
export function isWaiting({ saved, value, restart }: Setting): boolean {
  return restart && JSON.stringify(saved) !== JSON.stringify(value);
}
