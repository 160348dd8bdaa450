import type { PlateRule } from "../resources/plate-rule.ts";

/** What a plate rule is found by. */
export function ruleWords({ plate, formatted, label }: Pick<PlateRule, "plate" | "formatted" | "label">): string {
  return [plate, formatted, label].join(" ");
}
