import type { HouseMode, Whereabouts } from "../../../core/api/house.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import { fieldOf, isEdge, satisfies } from "./operators.ts";
import type {
  AnyStateTrigger,
  DeviceTrigger,
  EventTrigger,
  HouseTrigger,
  OccupancyTrigger,
  PlateTrigger,
  PresenceTrigger,
  StateTrigger,
} from "./rule.ts";

/** A device's state before and after a message. */
export interface StateChange {
  readonly deviceId: string;
  readonly previous: JsonObject;
  readonly state: JsonObject;
  /** The first value since the hub started: a state, not a change. */
  readonly initial: boolean;
}

/** Whether a state change is the edge that the trigger watches for. */
export function matchesState(trigger: StateTrigger, change: StateChange): boolean {
  if (trigger.deviceId !== change.deviceId || change.initial) return false;
  return isEdge(trigger, fieldOf(change.previous, trigger.field), fieldOf(change.state, trigger.field));
}

/** Whether the trigger watches devices of this product type. */
export function watches({ deviceType }: AnyStateTrigger, type: string | undefined): boolean {
  return deviceType === undefined || deviceType === type;
}

/** Whether a state change of a device that the trigger watches is the edge. */
export function matchesAnyState(trigger: AnyStateTrigger, change: StateChange): boolean {
  if (change.initial) return false;
  return isEdge(trigger, fieldOf(change.previous, trigger.field), fieldOf(change.state, trigger.field));
}

/**
 * Whether the level for which a trigger's hold time runs still holds after a change; with `changed` any further change
 * ends it.
 */
export function stillHolds(
  trigger: StateTrigger | AnyStateTrigger,
  change: Pick<StateChange, "previous" | "state">,
): boolean {
  const after = fieldOf(change.state, trigger.field);
  if (trigger.op === "changed") return !isEdge(trigger, fieldOf(change.previous, trigger.field), after);
  return satisfies(trigger.op, after, trigger.value);
}

/** Whether a device going online or offline is what the trigger names. */
export function matchesPresence(trigger: DeviceTrigger, fact: { deviceId: string; online: boolean }): boolean {
  return trigger.deviceId === fact.deviceId && (trigger.event === "online") === fact.online;
}

/** A decided plate read, one per pass. */
export interface PlatePass {
  readonly deviceId: string;
  readonly plate: string | null;
  readonly decision: "allow" | "deny" | "watch" | "unknown";
  readonly direction: "in" | "out" | null;
}

/** Whether the pass fits every filter of the trigger. */
export function matchesPlate(trigger: PlateTrigger, pass: PlatePass): boolean {
  return (
    (trigger.deviceId === undefined || trigger.deviceId === pass.deviceId) &&
    (trigger.plate === undefined || trigger.plate === pass.plate) &&
    (trigger.decision === undefined || trigger.decision === pass.decision) &&
    (trigger.direction === undefined || trigger.direction === pass.direction)
  );
}

/** Whether the number of vehicles inside starts to satisfy the trigger. */
export function matchesOccupancy(trigger: OccupancyTrigger, fact: { inside: number; previous: number }): boolean {
  return isEdge(trigger, fact.previous, fact.inside);
}

/** Whether a device's own event is the one that the trigger names. */
export function matchesEvent(trigger: EventTrigger, fact: { deviceId: string; kind: string }): boolean {
  return trigger.deviceId === fact.deviceId && trigger.kind === fact.kind;
}

/** Whether the house is set to the mode that the trigger names. */
export function matchesMode(trigger: HouseTrigger, fact: { mode: HouseMode }): boolean {
  return trigger.becomes === fact.mode;
}

/** A person's coming or going. */
export interface PersonMoved {
  readonly personId: number;
  readonly was: Whereabouts | null;
  readonly is: Whereabouts | null;
  /** How many were known to be home before, and are now. */
  readonly homeBefore: number;
  readonly home: number;
}

/**
 * Whether it is what the trigger waits for. Only somebody who was away comes home, and only somebody who was home leaves:
 * what is first known of a person is a state, not a change.
 */
export function matchesMoved(trigger: PresenceTrigger, { personId, was, is, homeBefore, home }: PersonMoved): boolean {
  const [from, to] = trigger.event === "arrives" ? ["away", "home"] : ["home", "away"];
  if (was !== from || is !== to) return false;
  if (trigger.person !== undefined) return trigger.person === personId;
  return trigger.event === "arrives" ? homeBefore === 0 : home === 0;
}
