import { dayAt, daysInclude, isInWindow, minuteOfDayAt } from "../../../core/kernel/local-time.ts";
import { fieldOf, satisfies } from "./operators.ts";
import type { Condition, LeafCondition, TimeCondition } from "./rule.ts";
import { isSunUp, sunPlace } from "./sun.ts";
import { UNJUDGED } from "./unjudged.ts";
import type { World } from "./world.ts";

/** Whether a condition holds, and the one comparison that decided it. */
export interface Verdict {
  readonly holds: boolean;
  /** The deciding condition; null for an empty group. */
  readonly decidedBy: LeafCondition | null;
  /**
   * The value that condition saw: a state value, a local time, a count; one of {@link UNJUDGED} when it could not be
   * judged.
   */
  readonly saw: unknown;
}

type Judge<Type extends LeafCondition["type"]> = (
  condition: Extract<LeafCondition, { type: Type }>,
  world: World,
) => Verdict;

const LEAVES: { [Type in LeafCondition["type"]]: Judge<Type> } = {
  state: (condition, world) => {
    const state = world.state(condition.deviceId);
    if (state === null) return { holds: false, decidedBy: condition, saw: UNJUDGED.gone };
    const saw = fieldOf(state, condition.field);
    return { holds: satisfies(condition.op, saw, condition.value), decidedBy: condition, saw };
  },
  time: (condition, world) =>
    world.now === null
      ? { holds: false, decidedBy: condition, saw: UNJUDGED.clock }
      : judgeTime(condition, world.place.timeZone, world.now),
  days: (condition, world) => {
    if (world.now === null) return { holds: false, decidedBy: condition, saw: UNJUDGED.clock };
    const day = dayAt(world.place.timeZone, world.now);
    return { holds: daysInclude(condition.days, day), decidedBy: condition, saw: isoDate(day) };
  },
  sun: (condition, world) => {
    const place = sunPlace(world.place);
    if (place === null) return { holds: false, decidedBy: condition, saw: UNJUDGED.place };
    if (world.now === null) return { holds: false, decidedBy: condition, saw: UNJUDGED.clock };
    const saw = isSunUp(place, world.now) ? "up" : "down";
    return { holds: saw === condition.is, decidedBy: condition, saw };
  },
  occupancy: (condition, world) => {
    const saw = world.occupancy();
    return { holds: satisfies(condition.op, saw, condition.value), decidedBy: condition, saw };
  },
  house: (condition, world) => {
    const saw = world.mode();
    return { holds: saw === condition.is, decidedBy: condition, saw };
  },
  presence: (condition, world) => {
    const saw = world.whereIs(condition.person);
    if (saw === undefined) return { holds: false, decidedBy: condition, saw: UNJUDGED.person };
    if (saw === null) return { holds: false, decidedBy: condition, saw: UNJUDGED.presence };
    return { holds: saw === condition.is, decidedBy: condition, saw };
  },
};

/** Judges one condition. `not` reports what decided inside it. */
export function judge(condition: Condition, world: World): Verdict {
  switch (condition.type) {
    case "all":
      return judgeAll(condition.conditions, world);
    case "any": {
      let last: Verdict = { holds: false, decidedBy: null, saw: UNJUDGED.empty };
      for (const inner of condition.conditions) {
        last = judge(inner, world);
        if (last.holds) return last;
      }
      return last;
    }
    case "not": {
      const inner = judge(condition.condition, world);
      return { ...inner, holds: !inner.holds };
    }
    default:
      return judgeLeaf(condition, world);
  }
}

/** Whether all conditions hold; the first that does not decides. */
export function judgeAll(conditions: readonly Condition[], world: World): Verdict {
  let last: Verdict = { holds: true, decidedBy: null, saw: null };
  for (const condition of conditions) {
    last = judge(condition, world);
    if (!last.holds) return last;
  }
  return last;
}

function judgeLeaf(condition: LeafCondition, world: World): Verdict {
  // the table's key is the condition's type
  const one = LEAVES[condition.type] as (condition: LeafCondition, world: World) => Verdict;
  return one(condition, world);
}

/** [from, to) by the wall clock; the part after midnight belongs to the day before. */
function judgeTime(condition: TimeCondition, timeZone: string, now: number): Verdict {
  const saw = `${isoDate(dayAt(timeZone, now))} ${clockText(minuteOfDayAt(timeZone, now))}`;
  return { holds: isInWindow(condition, timeZone, now), decidedBy: condition, saw };
}

function clockText(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

function isoDate(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
