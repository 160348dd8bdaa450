/** A rule while it is edited, and how it becomes one again. */
import type { Action, Condition, Trigger } from "../rules/rule.ts";
import type { Rule } from "./automations.tsx";
import type { Block } from "./block-editor.tsx";
import { isUnnamed, madeName } from "./rule-names.ts";
import type { ToldRule } from "./rule-sentence.ts";
import { starterText } from "./stored-texts.ts";

/** A rule while it is edited. */
export interface Draft {
  /** Empty: the rule is called by its own sentence, in the language of its reader. */
  readonly name: string;
  /** At least one; whichever comes first starts the rule. */
  readonly triggers: readonly Block[];
  readonly conditions: readonly Block[];
  readonly actions: readonly Block[];
  /** What is done while the conditions do not hold. */
  readonly otherwise: readonly Block[];
  readonly mode: Rule["mode"];
  readonly cooldownSeconds: number;
}

/** A new rule. */
export const FRESH: Draft = {
  name: "",
  triggers: [],
  conditions: [],
  actions: [],
  otherwise: [],
  mode: "single",
  cooldownSeconds: 0,
};

/** A stored rule as a draft. */
export function draftOf(rule: Rule): Draft {
  const { name, trigger, conditions, action, mode, cooldownSeconds } = rule;
  const [whole, otherwise] = action.type === "either" ? [action.do, action.otherwise] : [action, null];
  return {
    name: isUnnamed(rule) ? "" : (starterText(name) ?? name),
    triggers: (trigger.type === "any" ? trigger.triggers : [trigger]).map(blockOf),
    conditions: conditions.map(blockOf),
    actions: listOf(whole),
    otherwise: otherwise === null ? [] : listOf(otherwise),
    mode,
    cooldownSeconds,
  };
}

/** The body that creates or changes the rule; the hub checks it. */
export function inputOf(draft: Draft) {
  const { trigger, conditions, action } = toldOf(draft);
  return {
    name: draft.name.trim() === "" ? nameOf(draft) : draft.name,
    trigger: partOf<Trigger>(trigger),
    conditions: conditions.map(partOf<Condition>),
    action,
    mode: draft.mode,
    cooldownSeconds: draft.cooldownSeconds,
  };
}

/** A name in its own words for a rule that was given none. */
export function nameOf(draft: Draft): string {
  return madeName(toldOf(draft));
}

function toldOf({ triggers, conditions, actions, otherwise }: Draft): ToldRule & { readonly action: Action } {
  const [only, ...others] = triggers;
  const whole = actionOf(actions);
  return {
    trigger: only === undefined || others.length > 0 ? ({ type: "any", triggers } as Block) : only,
    conditions,
    action: otherwise.length === 0 ? whole : { type: "either", do: whole, otherwise: actionOf(otherwise) },
  };
}

function listOf(action: Action): Block[] {
  return (action.type === "sequence" ? action.actions : [action]).map(blockOf);
}

function actionOf(blocks: readonly Block[]): Action {
  const actions = blocks.map(partOf<Action>);
  const [only, ...others] = actions;
  return only !== undefined && others.length === 0 ? only : { type: "sequence", actions };
}

/** A block as a part of a rule; the hub checks what the editor made. */
function partOf<Part extends Trigger | Condition | Action>(block: { readonly type: string }): Part {
  return chosenOf(block) as Part;
}

/** What names a device or a scene. */
const CHOICES = new Set(["deviceId", "sceneId"]);

/** Without what has not been chosen yet, which the hub then calls needed rather than badly formed. */
function chosenOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(chosenOf);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key, member]) => !(CHOICES.has(key) && member === ""));
  return Object.fromEntries(members.map(([key, member]) => [key, chosenOf(member)]));
}

function blockOf(part: Trigger | Condition | Action): Block {
  return { ...part };
}
