/** Finds a rule of the house that is started by the same and does the same as one that is being written. */
import type { Rule } from "./automations.tsx";
import { type Draft, draftOf, inputOf } from "./rule-draft.ts";
import { messageText } from "./stored-texts.ts";

/** A rule that does what the draft says, whatever either is called; null: there is none. */
export function twinOf(draft: Draft, rules: readonly Rule[]): Rule | null {
  const wanted = meaningOf(draft);
  return rules.find((rule) => meaningOf(draftOf(rule)) === wanted) ?? null;
}

/** What a rule does, in one spelling: the order of members, and what means the same as nothing, do not count. */
function meaningOf(draft: Draft): string {
  const { trigger, conditions, action } = inputOf(draft);
  return JSON.stringify({ trigger, conditions, action }, (key, value: unknown) => {
    if (key === "offsetMinutes" && value === 0) return undefined;
    if (key === "days" && Array.isArray(value) && value.length === 0) return undefined;
    if ((key === "title" || key === "body") && typeof value === "string") return messageText(value); // in either language
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
