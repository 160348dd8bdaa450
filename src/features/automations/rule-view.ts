import { isoTime, isoTimeOrNull } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Rule, RuleBody, RunResult } from "./rules/rule.ts";

/** A rule as the API returns it (features/automations/resources/automation.ts). */
export interface AutomationView extends RuleBody {
  readonly id: number;
  readonly lastTriggeredAt: string | null;
  readonly lastResult: RunResult | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The key that wrote it, and whether it may do all that the rule does; null: the household itself. */
  readonly author: { readonly keyId: number; readonly name: string; readonly mayRun: boolean } | null;
}

/** The members written by a rule's author. */
export function bodyOf(rule: Rule): RuleBody {
  const { name, enabled, trigger, conditions, action, mode, cooldownSeconds } = rule;
  return { name, enabled, trigger, conditions, action, mode, cooldownSeconds };
}

/** A rule without its author. */
export function viewOf(rule: Rule): Omit<AutomationView, "author"> {
  return {
    id: rule.id,
    ...bodyOf(rule),
    lastTriggeredAt: isoTimeOrNull(rule.lastTriggeredAt),
    lastResult: rule.lastResult,
    createdAt: isoTime(rule.createdAt),
    updatedAt: isoTime(rule.updatedAt),
  };
}

/** The refusal for a rule that does not exist, or that the caller may not see. */
export function notFound(id: number): Problem {
  return new Problem("automation_not_found", `There is no automation ${id}.`);
}
