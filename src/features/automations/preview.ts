/**
 * The current state of a rule that is still being written: the values its conditions see, whether they hold, when its
 * trigger fires next. Judged by the functions with which the engine runs rules. An incomplete part is not judged, nor
 * is any part that contains it.
 */

import { dayAt } from "../../core/kernel/local-time.ts";
import { type InputCheck, MAX_CONDITIONS, MAX_NESTING } from "./input.ts";
import { judge, judgeAll } from "./rules/conditions.ts";
import { fieldOf } from "./rules/operators.ts";
import type { Condition, LeafCondition, Trigger } from "./rules/rule.ts";
import { nextOccurrence } from "./rules/schedule.ts";
import { sunEvent, sunPlace } from "./rules/sun.ts";
import type { World } from "./rules/world.ts";
import { brief } from "./trigger-event.ts";

/** The judged parts of a rule, as far as they are written. */
export interface Draft {
  readonly trigger?: unknown;
  readonly conditions?: readonly unknown[];
}

/** One part of a draft. */
interface Judged {
  /** Null: it is incomplete, or nothing that holds at a moment. */
  readonly holds: boolean | null;
  /** The value that it saw, or why it could not be judged (`UNJUDGED`); null without a value. */
  readonly saw: unknown;
}

/** The verdict on a draft. Times are epoch milliseconds. */
export interface Preview {
  /** Whether all conditions hold; null while one of them is incomplete. */
  readonly holds: boolean | null;
  /** The condition that decided it, with what it saw. */
  readonly decidedBy: LeafCondition | null;
  readonly saw: unknown;
  /** Every condition, including those within groups, by its JSON pointer. */
  readonly conditions: readonly (Judged & { readonly at: string })[];
  /** `next`: when it comes next by the clock; null if no clock determines that. */
  readonly trigger: Judged & { readonly next: number | null };
  /** The moment for which it was judged; null while the time is unknown. */
  readonly now: number | null;
  readonly timeZone: string;
  /** Today's; null if the place is unknown, or there is none today. */
  readonly sunrise: number | null;
  readonly sunset: number | null;
}

/** The input of a preview. */
export interface PreviewInput {
  readonly draft: Draft;
  readonly world: World;
  readonly check: Pick<InputCheck, "isTrigger" | "isCondition">;
  /** Whether a device of the site is online; undefined for an unknown device. */
  readonly online: (deviceId: string) => boolean | undefined;
}

const UNKNOWN: Judged = { holds: null, saw: null };

/** Judges a draft, up to the number and depth of conditions that a rule may have. */
export function preview({ draft, world, check, online }: PreviewInput): Preview {
  const conditions = draft.conditions ?? [];
  const parts = partsOf(conditions);
  const isWhole = parts !== null && conditions.every((one) => check.isCondition(one));
  const verdict = isWhole ? judgeAll(conditions as readonly Condition[], world) : null; // every one was just checked
  const { now, place } = world;
  const where = sunPlace(place);
  const sun = (event: "sunrise" | "sunset"): number | null =>
    now === null || where === null ? null : sunEvent(event, where, dayAt(place.timeZone, now));
  return {
    holds: verdict?.holds ?? null,
    decidedBy: verdict?.decidedBy ?? null,
    saw: shown(verdict?.saw),
    conditions: (parts ?? []).map(({ part, at }) => ({ at, ...judgedNow(part, world, check) })),
    trigger: check.isTrigger(draft.trigger) ? triggerNow(draft.trigger, world, online) : { ...UNKNOWN, next: null },
    now,
    timeZone: place.timeZone,
    sunrise: sun("sunrise"),
    sunset: sun("sunset"),
  };
}

function judgedNow(part: unknown, world: World, check: PreviewInput["check"]): Judged {
  if (!check.isCondition(part)) return UNKNOWN;
  const { holds, saw } = judge(part, world);
  return { holds, saw: shown(saw) };
}

/** A level that a trigger watches is judged like the condition of the same form; mere events do not hold. */
function triggerNow(trigger: Trigger, world: World, online: PreviewInput["online"]): Preview["trigger"] {
  const judged = (condition: Condition): Preview["trigger"] => {
    const { holds, saw } = judge(condition, world);
    return { holds, saw: shown(saw), next: null };
  };
  switch (trigger.type) {
    case "time":
    case "sun":
      return { ...UNKNOWN, next: world.now === null ? null : nextOccurrence(trigger, world.place, world.now) };
    case "state":
      return trigger.op === "changed"
        ? { holds: null, saw: shown(fieldOf(world.state(trigger.deviceId), trigger.field)), next: null }
        : judged({ ...trigger, op: trigger.op });
    case "occupancy":
      return trigger.op === "changed" || trigger.value === undefined
        ? { holds: null, saw: world.occupancy(), next: null }
        : judged({ type: "occupancy", op: trigger.op, value: trigger.value });
    case "house":
      return judged({ type: "house", is: trigger.becomes });
    case "presence": {
      const { event, type, ...who } = trigger;
      return judged({ type, is: event === "arrives" ? "home" : "away", ...who });
    }
    case "device": {
      const isOnline = online(trigger.deviceId);
      return isOnline === undefined
        ? { ...UNKNOWN, next: null }
        : { holds: isOnline === (trigger.event === "online"), saw: isOnline ? "online" : "offline", next: null };
    }
    case "any": {
      const each = trigger.triggers.map((one) => triggerNow(one, world, online));
      const times = each.flatMap(({ next }) => next ?? []);
      return { ...UNKNOWN, next: times.length === 0 ? null : Math.min(...times) };
    }
    default:
      return { ...UNKNOWN, next: null };
  }
}

/**
 * Every condition with its JSON pointer, groups before their content; null when there are more than a rule may have.
 */
function partsOf(conditions: readonly unknown[]): { readonly part: unknown; readonly at: string }[] | null {
  const found: { part: unknown; at: string }[] = [];
  const walk = (part: unknown, at: string, depth: number): boolean => {
    if (depth > MAX_NESTING || found.length >= MAX_CONDITIONS) return false;
    found.push({ part, at });
    if (typeof part !== "object" || part === null) return true;
    if ("condition" in part) return walk(part.condition, `${at}/condition`, depth + 1);
    return (
      !("conditions" in part && Array.isArray(part.conditions)) ||
      part.conditions.every((inner, index) => walk(inner, `${at}/conditions/${index}`, depth + 1))
    );
  };
  return conditions.every((one, index) => walk(one, `/conditions/${index}`, 1)) ? found : null;
}

function shown(saw: unknown): unknown {
  return brief(saw ?? null);
}
