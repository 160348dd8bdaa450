/**
 * The model of an automation rule: the shapes of its trigger, conditions and actions, discriminated by `type`. The
 * contract's shapes (`time`, `state`, `command`, `notify`) are kept to the letter; the others are additive
 * (docs/spec/domain.md §6). Pure types and walks over them: must never know storage, clocks or devices.
 */

import type { HouseMode, Whereabouts } from "../../../core/api/house.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";

/** Comparison of a state value; see `operators.ts`. */
export type Operator = "truthy" | "falsy" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "contains" | "changed";

/** Comparison of the number of vehicles inside. */
export type CountOperator = "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "changed";

/**
 * Every day at a local clock time `HH:MM`; `days` are ISO weekdays (1 = Monday … 7 = Sunday, 0 = Sunday too), none =
 * all.
 */
export interface TimeTrigger {
  readonly type: "time";
  readonly at: string;
  readonly days?: readonly number[];
}

/** Sunrise or sunset of the site's coordinates, moved by `offsetMinutes` (negative = before). */
export interface SunTrigger {
  readonly type: "sun";
  readonly event: "sunrise" | "sunset";
  readonly offsetMinutes?: number;
  readonly days?: readonly number[];
}

/** At a fixed interval, counted from when the rule was created or enabled. */
export interface IntervalTrigger {
  readonly type: "interval";
  readonly everySeconds: number;
}

/**
 * A state value starts to satisfy a comparison (the edge, not the level), or has done so for `forSeconds` without a
 * break.
 */
export interface StateTrigger {
  readonly type: "state";
  readonly deviceId: string;
  readonly field: string;
  readonly op: Operator;
  readonly value?: unknown;
  readonly forSeconds?: number;
}

/** A device goes online or offline. */
export interface DeviceTrigger {
  readonly type: "device";
  readonly deviceId: string;
  readonly event: "online" | "offline";
}

/** A vehicle passes: every filter that is given must match. */
export interface PlateTrigger {
  readonly type: "plate";
  readonly deviceId?: string;
  readonly plate?: string;
  readonly decision?: "allow" | "deny" | "watch" | "unknown";
  readonly direction?: "in" | "out";
}

/** The number of vehicles inside starts to satisfy a comparison. */
export interface OccupancyTrigger {
  readonly type: "occupancy";
  readonly op: CountOperator;
  readonly value?: number;
}

/** A device reports an event of this kind. */
export interface EventTrigger {
  readonly type: "event";
  readonly deviceId: string;
  readonly kind: string;
}

/** A value of any device of the household starts to satisfy a comparison, for example whichever battery falls below 20 %. */
export interface AnyStateTrigger {
  readonly type: "any_state";
  readonly field: string;
  readonly op: Exclude<Operator, "changed">;
  readonly value?: unknown;
  /** Only devices of this product type. */
  readonly deviceType?: string;
  /** Only when it has held this long at one device without a break. */
  readonly forSeconds?: number;
}

/** The house is set to a mode that it did not have. */
export interface HouseTrigger {
  readonly type: "house";
  readonly becomes: HouseMode;
}

/** A person comes home or leaves; without `person` the first of them comes, or the last one leaves. */
export interface PresenceTrigger {
  readonly type: "presence";
  readonly event: "arrives" | "leaves";
  readonly person?: number;
}

/** Whichever of these comes first. */
interface AnyTrigger {
  readonly type: "any";
  readonly triggers: readonly SimpleTrigger[];
}

/** A rule's trigger. */
export type Trigger = SimpleTrigger | AnyTrigger;

/** A trigger that contains no others. */
export type SimpleTrigger =
  | TimeTrigger
  | SunTrigger
  | IntervalTrigger
  | StateTrigger
  | DeviceTrigger
  | PlateTrigger
  | OccupancyTrigger
  | AnyStateTrigger
  | EventTrigger
  | HouseTrigger
  | PresenceTrigger;

/** A state value satisfies a comparison now. */
interface StateCondition {
  readonly type: "state";
  readonly deviceId: string;
  readonly field: string;
  readonly op: Exclude<Operator, "changed">;
  readonly value?: unknown;
}

/**
 * Local time is in [from, to); a window with `to` at or before `from` extends past midnight. `days` name the day on
 * which the window opened.
 */
export interface TimeCondition {
  readonly type: "time";
  readonly from: string;
  readonly to: string;
  readonly days?: readonly number[];
}

/** Today (local) is one of `days`. */
interface DaysCondition {
  readonly type: "days";
  readonly days: readonly number[];
}

/** The sun is above or below the horizon. */
interface SunCondition {
  readonly type: "sun";
  readonly is: "up" | "down";
}

/** The number of vehicles inside satisfies a comparison. */
interface OccupancyCondition {
  readonly type: "occupancy";
  readonly op: Exclude<CountOperator, "changed">;
  readonly value: number;
}

/** The house is set to this mode. */
interface HouseCondition {
  readonly type: "house";
  readonly is: HouseMode;
}

/** A person is home or away; without `person` somebody is home, or nobody is. */
interface PresenceCondition {
  readonly type: "presence";
  readonly is: Whereabouts;
  readonly person?: number;
}

/** All of `conditions` hold; true when there are none. */
interface AllCondition {
  readonly type: "all";
  readonly conditions: readonly Condition[];
}

/** One of `conditions` holds; false when there are none. */
interface AnyCondition {
  readonly type: "any";
  readonly conditions: readonly Condition[];
}

/** `condition` does not hold. */
interface NotCondition {
  readonly type: "not";
  readonly condition: Condition;
}

/** A condition for a triggered rule to run. */
export type Condition = LeafCondition | AllCondition | AnyCondition | NotCondition;

/** A condition that contains no others. */
export type LeafCondition =
  | StateCondition
  | TimeCondition
  | DaysCondition
  | SunCondition
  | OccupancyCondition
  | HouseCondition
  | PresenceCondition;

/** Sends a command to a device, as the command endpoint does. */
interface CommandAction {
  readonly type: "command";
  readonly deviceId: string;
  readonly command: JsonObject;
}

/** A picture that a message carries: of the plate read that set the rule off, or what a camera shows at that moment. */
export type MessagePicture = { readonly type: "read" } | { readonly type: "camera"; readonly deviceId: string };

/** Puts a message into the feed, and on the LAN receiver when one is configured and it is for everybody. */
interface NotifyAction {
  readonly type: "notify";
  readonly title: string;
  readonly body: string;
  /** `owners`, `person:ID`; for everybody in the household unless given. */
  readonly to?: readonly string[];
  readonly picture?: MessagePicture;
}

/** Activates a scene. */
interface SceneAction {
  readonly type: "scene";
  readonly sceneId: number;
}

/** Sets the house to a mode. */
interface HouseAction {
  readonly type: "house";
  readonly mode: HouseMode;
}

/** Waits; survives restarts and edits of other rules. */
interface DelayAction {
  readonly type: "delay";
  readonly seconds: number;
}

/** Several actions in order. */
interface SequenceAction {
  readonly type: "sequence";
  readonly actions: readonly Action[];
}

/** What to do where the conditions hold, and where they do not. A rule's whole action, never a part of it. */
interface EitherAction {
  readonly type: "either";
  readonly do: Action;
  readonly otherwise: Action;
}

/** An action of a rule. */
export type Action =
  | CommandAction
  | NotifyAction
  | SceneAction
  | HouseAction
  | DelayAction
  | SequenceAction
  | EitherAction;

/** One step of a run: an action without what is around it. */
export type Step = Exclude<Action, SequenceAction | EitherAction>;

/** The behaviour when a rule triggers while one of its runs still waits. */
export type Mode = "single" | "restart" | "queued" | "parallel";

/** How the last run of a rule ended. */
export type RunResult = "ok" | "failed" | "stopped" | "paused";

/** The part of a rule that its owner writes, with every default filled in. */
export interface RuleBody {
  readonly name: string;
  readonly enabled: boolean;
  readonly trigger: Trigger;
  readonly conditions: readonly Condition[];
  readonly action: Action;
  readonly mode: Mode;
  readonly cooldownSeconds: number;
}

/** A stored rule; times are epoch milliseconds. */
export interface Rule extends RuleBody {
  readonly id: number;
  readonly siteId: number;
  /** The key that wrote it, which is responsible for its actions; null: the household itself. */
  readonly authorKey: number | null;
  /** Until then nothing starts it, though it is on; null, or past: it is not paused. */
  readonly pausedUntil: number | null;
  readonly lastTriggeredAt: number | null;
  readonly lastResult: RunResult | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The steps of an action in order, with sequences flattened; of both branches where there are two. */
export function stepsOf(action: Action): Step[] {
  if (action.type === "either") return [...stepsOf(action.do), ...stepsOf(action.otherwise)];
  return action.type === "sequence" ? action.actions.flatMap(stepsOf) : [action];
}

/** What a rule does where its conditions hold (`do`), or do not: null if it then does nothing. */
export function branchOf(action: Action, branch: "do" | "otherwise"): Action | null {
  if (action.type === "either") return action[branch];
  return branch === "do" ? action : null;
}

/** The triggers of a rule, one or several. */
export function triggersOf({ trigger }: Pick<RuleBody, "trigger">): readonly SimpleTrigger[] {
  return trigger.type === "any" ? trigger.triggers : [trigger];
}

/**
 * Every device that a rule names: in its trigger, in nested conditions, in nested actions. Without duplicates, in order
 * of appearance.
 */
export function devicesNamed(rule: Pick<RuleBody, "trigger" | "conditions" | "action">): string[] {
  const ids = new Set<string>();
  for (const trigger of triggersOf(rule))
    if ("deviceId" in trigger && trigger.deviceId !== undefined) ids.add(trigger.deviceId);
  for (const condition of rule.conditions)
    for (const leaf of leavesOf(condition)) if (leaf.type === "state") ids.add(leaf.deviceId);
  for (const step of stepsOf(rule.action)) {
    if (step.type === "command") ids.add(step.deviceId);
    if (step.type === "notify" && step.picture?.type === "camera") ids.add(step.picture.deviceId);
  }
  return [...ids];
}

/** Whether the time of day decides whether a rule runs. */
export function goesByTime(rule: Pick<RuleBody, "trigger" | "conditions">): boolean {
  const parts = [...triggersOf(rule), ...rule.conditions.flatMap(leavesOf)];
  return parts.some(({ type }) => type === "time" || type === "sun" || type === "days");
}

/** Every person whom a rule names by where they are. */
export function personsWatched(rule: Pick<RuleBody, "trigger" | "conditions">): number[] {
  const parts = [...triggersOf(rule), ...rule.conditions.flatMap(leavesOf)];
  return parts.flatMap((part) => (part.type === "presence" && part.person !== undefined ? [part.person] : []));
}

/** The conditions inside a condition that are not groups. */
export function leavesOf(condition: Condition): LeafCondition[] {
  if (condition.type === "all" || condition.type === "any") return condition.conditions.flatMap(leavesOf);
  if (condition.type === "not") return leavesOf(condition.condition);
  return [condition];
}
