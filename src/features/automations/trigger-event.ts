import type { Cause } from "./causes.ts";

/** What triggered a rule. */
export interface TriggerEvent {
  /**
   * In the trigger's own members, for the trace: `{type: "state", deviceId, field, from, to}`. With `opensNothing: true`
   * the run opens nothing and disarms nothing: what happened is no proof that somebody may come in. With `timeDoubted`
   * it does not move what decides about that, either.
   */
  readonly trigger: Readonly<Record<string, unknown>>;
  /** The rules that led here, oldest first. */
  readonly causes: readonly Cause[];
  /** It comes more than five seconds late, or its delay is unknown: gates and locks are then left alone. */
  readonly late: boolean;
  /** Its conditions did not hold, and the rule has something to do then. */
  readonly otherwise?: true;
}

/** Whether what a run leads to opens nothing and disarms nothing. */
export function opensNothing({ trigger, causes }: Pick<TriggerEvent, "trigger" | "causes">): boolean {
  return (
    trigger.opensNothing === true ||
    trigger.besideDenied === true ||
    causes.some((cause) => cause.opensNothing === true)
  );
}

/**
 * The event as if its plate had been illegible; null if it is not that plate's. What runs goes on: a lamp that a car has
 * switched on is still switched off.
 */
export function withoutPlate(trigger: TriggerEvent["trigger"], plate: string): TriggerEvent["trigger"] | null {
  return trigger.plate === plate ? { ...trigger, plate: null, readId: null } : null;
}

/** Which of a rule's triggers a stored timer belongs to; timers from before there were several belong to the first. */
export function partOf(payload: string): number {
  const part = (JSON.parse(payload) as { part?: unknown }).part; // written by schedules.ts and state-durations.ts
  return typeof part === "number" ? part : 0;
}

/** A wait or a schedule that is later than this is too late for a gate or a lock. */
export const LATE_MS = 5_000;

/** A schedule or a hold time that was missed by no more than this still runs, once. */
export const MISFIRE_MS = 15 * 60_000;

/** A value as traces and waiting runs keep it: whole if it is short, else the beginning of its JSON text. */
export function brief(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= LONGEST_KEPT ? value : `${text.slice(0, LONGEST_KEPT)}…`;
}

const LONGEST_KEPT = 200;

/** Whether a rule that somebody paused until a moment (epoch milliseconds; null: it is not paused) rests now. */
export function isPausedAt(now: number, pausedUntil: number | null): boolean {
  return pausedUntil !== null && now < pausedUntil;
}
