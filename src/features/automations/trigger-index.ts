import { type Rule, type SimpleTrigger, triggersOf } from "./rules/rule.ts";

/**
 * Finds the rules that a fact may concern without examining all of them: by trigger type, and by device if the trigger
 * must name one.
 */
export class TriggerIndex {
  readonly #byKey = new Map<string, Set<number>>();

  /** Adds a rule under its triggers. */
  add(rule: Rule): void {
    for (const key of triggersOf(rule).map(keyOf)) {
      const ids = this.#byKey.get(key) ?? new Set<number>();
      ids.add(rule.id);
      this.#byKey.set(key, ids);
    }
  }

  /** Removes a rule from its triggers. */
  remove(rule: Rule): void {
    for (const key of triggersOf(rule).map(keyOf)) {
      const ids = this.#byKey.get(key);
      ids?.delete(rule.id);
      if (ids?.size === 0) this.#byKey.delete(key);
    }
  }

  /** Ids of the rules under a trigger type and, for `state`, `device` and `event`, a device; by id. */
  of(type: SimpleTrigger["type"], deviceId?: string): readonly number[] {
    return [...(this.#byKey.get(deviceId === undefined ? type : `${type} ${deviceId}`) ?? [])].sort((a, b) => a - b);
  }
}

function keyOf(trigger: SimpleTrigger): string {
  return trigger.type === "state" || trigger.type === "device" || trigger.type === "event"
    ? `${trigger.type} ${trigger.deviceId}`
    : trigger.type;
}
