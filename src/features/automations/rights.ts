/**
 * The rights of a rule. A rule sees and does what its author may see and do: the household's own rules everything, a
 * rule written with a key what that key's scopes allow at the time when the rule runs. Switching a rule on needs the
 * rights that it uses, like writing it.
 */
import type { Scope } from "../../core/api/scopes.ts";
import { ALL_SCOPES } from "../../core/api/scopes.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { mentionsPlate } from "../../core/plates/mention.ts";
import {
  type Action,
  type Condition,
  type LeafCondition,
  leavesOf,
  type RuleBody,
  type SimpleTrigger,
  type Step,
  stepsOf,
  triggersOf,
} from "./rules/rule.ts";

/** The author of a rule. */
export interface Author {
  /** The key; null: the household itself (a signed-in owner, the command line, the hub). */
  readonly keyId: number | null;
  /** For the audit list: `session:3`, `api_key:12`, `hub`. */
  readonly actor: string;
  readonly scopes: readonly Scope[];
}

/** The household itself. */
export const HOUSEHOLD: Author = { keyId: null, actor: "hub", scopes: ALL_SCOPES };

/** A scope that a rule needs, and the part of it that needs it. */
export interface Need {
  readonly scope: Scope;
  /** JSON pointer into the rule. */
  readonly field: string;
}

type RuleParts = Pick<RuleBody, "trigger" | "conditions" | "action">;

/** Every trigger with the scope that shows a caller the same. */
const TRIGGERS: Readonly<Record<SimpleTrigger["type"], Scope | null>> = {
  time: null,
  sun: null,
  interval: null,
  state: "devices:read",
  any_state: "devices:read",
  device: "devices:read",
  event: "devices:read",
  plate: "plates:read",
  occupancy: "plates:read",
  house: "scenes:read",
  presence: "plates:read", // the scope that shows who comes and goes
};

const CONDITIONS: Readonly<Record<LeafCondition["type"], Scope | null>> = {
  time: null,
  days: null,
  sun: null,
  state: "devices:read",
  occupancy: "plates:read",
  house: "scenes:read",
  presence: "plates:read",
};

/**
 * Every step with the scope that lets a caller do the same. A message without a picture needs none: it only sends what
 * its author wrote.
 */
const STEPS: Readonly<Record<Step["type"], Scope | null>> = {
  command: "devices:control",
  scene: "scenes:run",
  house: "scenes:run",
  notify: null,
  delay: null,
};

/** The scope that a step needs; null when it needs none. */
export function scopeOfStep(step: Step): Scope | null {
  return step.type === "notify" && step.picture !== undefined ? "plates:read" : STEPS[step.type];
}

/** Everything that a rule needs, in the order in which it is written. */
function needsOf({ trigger, conditions, action }: RuleParts): Need[] {
  const wanted: [Scope | null, string][] = [
    ...triggersOf({ trigger }).map(({ type }, index): [Scope | null, string] => [
      TRIGGERS[type],
      trigger.type === "any" ? `/trigger/triggers/${index}` : "/trigger",
    ]),
    ...conditions.flatMap((condition, index) =>
      scopesOfCondition(condition).map((scope): [Scope | null, string] => [scope, `/conditions/${index}`]),
    ),
    ...stepsWithin(action, "/action").map(({ step, field }): [Scope | null, string] => [scopeOfStep(step), field]),
  ];
  const needs = new Map<string, Need>();
  for (const [scope, field] of wanted) if (scope !== null) needs.set(`${scope} ${field}`, { scope, field });
  return [...needs.values()];
}

/** The scopes a rule needs beyond `scopes`. */
export function lacking(rule: RuleParts, scopes: readonly Scope[]): Need[] {
  return needsOf(rule).filter(({ scope }) => !scopes.includes(scope));
}

/**
 * For writing a rule or switching it on. @throws Problem `insufficient_scope` that names the parts of the rule which
 * `by` may not do by itself.
 */
export function refuseBeyond(rule: RuleParts, by: Author): void {
  const needs = lacking(rule, by.scopes);
  const [first] = needs;
  if (first === undefined) return;
  throw new Problem(
    "insufficient_scope",
    `A rule may do only what the person who writes it or switches it on may: ${first.field} needs the scope ${first.scope}.`,
    {
      fields: { requiredScope: first.scope, keyScopes: by.scopes },
      details: needs.map(({ scope, field }) => ({
        field,
        code: "insufficient_scope",
        message: `This part of the rule needs the scope ${scope}.`,
      })),
    },
  );
}

/** Whether a rule, or the fact that it ran, is about vehicles: then it is shown only to those who may read plates. */
export function tellsOfVehicles(rule: RuleParts & Pick<RuleBody, "name">): boolean {
  const texts = [
    rule.name,
    ...stepsOf(rule.action).flatMap((step) => (step.type === "notify" ? [step.title, step.body] : [])),
  ];
  return needsOf(rule).some(({ scope }) => scope === "plates:read") || texts.some(mentionsPlate);
}

/** Whether a rule, or the fact that it ran, says where somebody of the household is: not everybody is shown that. */
export function tellsWhereabouts({ trigger, conditions }: Pick<RuleParts, "trigger" | "conditions">): boolean {
  return (
    triggersOf({ trigger }).some(({ type }) => type === "presence") ||
    conditions.some((condition) => leavesOf(condition).some(({ type }) => type === "presence"))
  );
}

/** Whether a reader may know about such a rule. */
export function mayKnow(reader: Author, rule: RuleParts & Pick<RuleBody, "name">): boolean {
  return reader.scopes.includes("plates:read") || !tellsOfVehicles(rule);
}

function stepsWithin(action: Action, field: string): { readonly step: Step; readonly field: string }[] {
  if (action.type === "either")
    return [...stepsWithin(action.do, `${field}/do`), ...stepsWithin(action.otherwise, `${field}/otherwise`)];
  return action.type === "sequence"
    ? action.actions.flatMap((inner, index) => stepsWithin(inner, `${field}/actions/${index}`))
    : [{ step: action, field }];
}

function scopesOfCondition(condition: Condition): (Scope | null)[] {
  return leavesOf(condition).map((leaf) => CONDITIONS[leaf.type]);
}
