import { bodyRefused, Problem } from "../../core/kernel/problem.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { Rule, RuleBody } from "./rules/rule.ts";

/** Rules as a JSON document for another hub, or for safe-keeping. */
export interface ExportedRules {
  readonly format: "gatehouse-automations";
  readonly version: 1;
  readonly automations: readonly RuleBody[];
}

/** Most rules of one document. */
const MAX_IMPORTED = 500;

/** The document of these rules: what their owner wrote, without ids and history. */
export function toExport(rules: readonly Rule[]): ExportedRules {
  return {
    format: "gatehouse-automations",
    version: 1,
    automations: rules.map(({ name, enabled, trigger, conditions, action, mode, cooldownSeconds }) => ({
      name,
      enabled,
      trigger,
      conditions,
      action,
      mode,
      cooldownSeconds,
    })),
  };
}

/** The unchecked rule bodies of a document. @throws Problem `invalid_body` if it is not such a document */
export function rulesOf(document: unknown): readonly unknown[] {
  // each member is checked below
  const found = typeof document === "object" && document !== null ? (document as Partial<ExportedRules>) : {};
  const refuse = (field: string, words: Detail): Problem => bodyRefused(field, "invalid", words);
  if (found.format !== "gatehouse-automations") throw refuse("/format", { code: "refusal.automations.notAnExport" });
  if (found.version !== 1) throw refuse("/version", { code: "refusal.automations.tooNew" });
  if (!Array.isArray(found.automations)) throw refuse("/automations", { code: "refusal.automations.none" });
  if (found.automations.length > MAX_IMPORTED)
    throw refuse("/automations", { code: "refusal.automations.tooMany", limit: MAX_IMPORTED });
  return found.automations;
}

/** Runs `check`; a problem that it throws points into the document at `pointer`. */
export function within<Result>(pointer: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const details = error.details.map((detail) => ({ ...detail, field: pointer + detail.field }));
    throw new Problem(error.code, `${pointer}: ${error.message}`, { details, fields: error.fields, cause: error });
  }
}

/** The name of a copy, at most 120 characters. */
export function copyName(name: string): string {
  const suffix = " (copy)";
  return `${[...name].slice(0, 120 - suffix.length).join("")}${suffix}`;
}
