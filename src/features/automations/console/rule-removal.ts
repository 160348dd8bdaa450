/** A rule that is deleted at once, and can be brought back: in the list and on its own page. */
import { signal } from "@preact/signals";
import { post, remove } from "../../../console/api.ts";
import { sayDeleted } from "../../../console/components/deleted-card.tsx";
import type { Deleted } from "../../../console/components/trash.ts";
import type { Rule } from "./automations.tsx";
import { shownName } from "./rule-names.ts";

/** The body that creates a rule. */
type RuleInput = Pick<Rule, "name" | "enabled" | "trigger" | "conditions" | "action" | "mode" | "cooldownSeconds">;

/** How many rules were brought back in this window: a list that is shown then loads again. */
export const restored = signal(0);

/** Immediate, with an undo: people seldom delete by mistake, and would click a question away. */
export async function removeRule(rule: Rule): Promise<void> {
  const { name, enabled, trigger, conditions, action, mode, cooldownSeconds } = rule;
  const body: RuleInput = { name, enabled, trigger, conditions, action, mode, cooldownSeconds };
  await remove("/v1/automations/{id}", { params: { id: rule.id } });
  sayDeleted({ kind: "automation", name: shownName(rule), body }, restoreRule);
}

/** Creates a deleted rule again. */
export async function restoreRule({ body }: Deleted): Promise<void> {
  await post("/v1/automations", { body: body as RuleInput }); // kept by removeRule
  restored.value += 1;
}
