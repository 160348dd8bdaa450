import type { HouseMode } from "../../core/api/house.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { House } from "./house.ts";
import { judge, type Verdict } from "./rules/conditions.ts";
import {
  matchesAnyState,
  matchesEvent,
  matchesMode,
  matchesMoved,
  matchesOccupancy,
  matchesPlate,
  matchesPresence,
  matchesState,
  type PersonMoved,
  watches,
} from "./rules/matches.ts";
import {
  branchOf,
  type Condition,
  type RuleBody,
  type SimpleTrigger,
  type Step,
  stepsOf,
  triggersOf,
} from "./rules/rule.ts";
import { nextOccurrence } from "./rules/schedule.ts";
import type { World } from "./rules/world.ts";

/** A trigger chosen for a dry run: what might happen. If absent, the rule's own trigger is assumed to have fired. */
export type SampleEvent =
  | { readonly type: "state"; readonly deviceId: string; readonly state: JsonObject; readonly previous: JsonObject }
  | { readonly type: "device"; readonly deviceId: string; readonly event: "online" | "offline" }
  | {
      readonly type: "plate";
      readonly deviceId: string;
      readonly plate: string | null;
      readonly decision: "allow" | "deny" | "watch" | "unknown";
      readonly direction: "in" | "out" | null;
    }
  | { readonly type: "occupancy"; readonly inside: number; readonly previous: number }
  | { readonly type: "house"; readonly mode: HouseMode }
  | {
      readonly type: "presence";
      readonly person: number;
      readonly event: "arrives" | "leaves";
      readonly homeBefore: number;
    }
  | { readonly type: "event"; readonly deviceId: string; readonly kind: string };

/** What would happen, with the deciding values. Nothing is sent. */
export interface DryRun {
  /** Whether the sample is what the trigger waits for. */
  readonly triggers: boolean;
  /** Whether all conditions hold. */
  readonly conditionsHold: boolean;
  readonly wouldRun: boolean;
  readonly conditions: readonly { readonly condition: Condition; readonly holds: boolean; readonly saw: unknown }[];
  readonly steps: readonly { readonly step: Step; readonly note: string | null }[];
  /** The next times of a wall-clock trigger, ISO 8601. */
  readonly nextRuns: readonly string[];
}

/** The input of a dry run. */
export interface DryRunInput {
  readonly rule: RuleBody;
  readonly sample: SampleEvent | null;
  readonly world: World;
  readonly registry: House["registry"];
}

const UPCOMING = 5;

/**
 * Plays a rule through without sending anything. A state sample also counts as its device's state in the conditions.
 */
export function dryRun({ rule, sample, world, registry }: DryRunInput): DryRun {
  const seen: World =
    sample?.type === "state"
      ? { ...world, state: (id) => (id === sample.deviceId ? sample.state : world.state(id)) }
      : world;
  const triggers = sample === null || triggersOf(rule).some((one) => matches(one, sample, registry));
  const conditions = rule.conditions.map((condition) => {
    const { holds, saw }: Verdict = judge(condition, seen);
    return { condition, holds, saw };
  });
  const conditionsHold = conditions.every((condition) => condition.holds);
  const branch = branchOf(rule.action, conditionsHold ? "do" : "otherwise");
  return {
    triggers,
    conditionsHold,
    wouldRun: rule.enabled && triggers && branch !== null,
    conditions,
    steps: stepsOf(branch ?? rule.action).map((step) => ({ step, note: noteOn(step, registry) })),
    nextRuns: triggersOf(rule)
      .flatMap((one) => upcoming(one, world))
      .sort()
      .slice(0, UPCOMING),
  };
}

function matches(trigger: SimpleTrigger, sample: SampleEvent, registry: House["registry"]): boolean {
  if (trigger.type === "any_state" && sample.type === "state")
    return (
      watches(trigger, registry.find(sample.deviceId)?.type) && matchesAnyState(trigger, { ...sample, initial: false })
    );
  if (trigger.type === "state" && sample.type === "state") return matchesState(trigger, { ...sample, initial: false });
  if (trigger.type === "device" && sample.type === "device")
    return matchesPresence(trigger, { deviceId: sample.deviceId, online: sample.event === "online" });
  if (trigger.type === "plate" && sample.type === "plate") return matchesPlate(trigger, sample);
  if (trigger.type === "occupancy" && sample.type === "occupancy") return matchesOccupancy(trigger, sample);
  if (trigger.type === "event" && sample.type === "event") return matchesEvent(trigger, sample);
  if (trigger.type === "house" && sample.type === "house") return matchesMode(trigger, sample);
  if (trigger.type === "presence" && sample.type === "presence") return matchesMoved(trigger, moved(sample));
  return false;
}

function moved({ person, event, homeBefore }: Extract<SampleEvent, { type: "presence" }>): PersonMoved {
  const personId = person;
  return event === "arrives"
    ? { personId, was: "away", is: "home", homeBefore, home: homeBefore + 1 }
    : { personId, was: "home", is: "away", homeBefore, home: Math.max(0, homeBefore - 1) };
}

function noteOn(step: Step, registry: House["registry"]): string | null {
  if (step.type !== "command") return null;
  const device = registry.find(step.deviceId);
  if (device === null) return "The device is gone.";
  return device.online ? null : "The device is offline now.";
}

function upcoming(trigger: SimpleTrigger, world: World): string[] {
  const times: string[] = [];
  if ((trigger.type !== "time" && trigger.type !== "sun") || world.now === null) return times;
  let from = world.now;
  while (times.length < UPCOMING) {
    const next = nextOccurrence(trigger, world.place, from);
    if (next === null) break;
    times.push(new Date(next).toISOString());
    from = next;
  }
  return times;
}
