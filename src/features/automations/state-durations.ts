import type { Clock } from "../../core/kernel/clock.ts";
import { withBattery } from "../devices/rules/vitals.ts";
import type { House } from "./house.ts";
import { type StateChange, stillHolds } from "./rules/matches.ts";
import { fieldOf, satisfies } from "./rules/operators.ts";
import type { AnyStateTrigger, Rule, StateTrigger } from "./rules/rule.ts";
import type { StoredTimer } from "./tables/automation-timer.ts";
import type { DueTimer, Timers } from "./timers.ts";
import type { Traces } from "./traces.ts";
import { LATE_MS, MISFIRE_MS, partOf, type TriggerEvent } from "./trigger-event.ts";

/** Triggers on state with `forSeconds`: the wait between the edge and the run, cancelled when the value changes back. */
export class StateDurations {
  readonly #options: ConstructorParameters<typeof StateDurations>[0];

  constructor(options: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly traces: Traces;
    readonly house: House;
    /** Called when a value has held long enough. */
    readonly fire: (rule: Rule, triggerEvent: TriggerEvent) => void;
  }) {
    this.#options = options;
  }

  /** Takes a change of a device that the trigger watches: begins, cancels or keeps its wait. `starts`: it is the edge. */
  change(
    rule: Rule,
    trigger: StateTrigger | AnyStateTrigger,
    at: { change: StateChange; triggerEvent: TriggerEvent; part: number; starts: boolean },
  ): void {
    const { timers } = this.#options;
    const { deviceId } = at.change;
    if (!stillHolds(trigger, at.change)) {
      const wait = this.#waitOf(rule.id, at.part, deviceId);
      if (wait !== undefined) this.#end(rule, wait, fieldOf(at.change.state, trigger.field));
    }
    if (!at.starts || this.#waitOf(rule.id, at.part, deviceId) !== undefined) return;
    timers.after((trigger.forSeconds ?? 0) * 1000, {
      automationId: rule.id,
      kind: "hold",
      payload: JSON.stringify({ ...at.triggerEvent, part: at.part }),
    });
  }

  /** After a restart: checks whether the wait still makes sense; ends it when the device reports otherwise. */
  restore(rule: Rule, trigger: StateTrigger | AnyStateTrigger, wait: StoredTimer): void {
    const { registry } = this.#options.house;
    const device = registry.find(deviceOf(wait.payload) ?? "");
    const state = device && withBattery(device); // null: the device was removed
    const value = fieldOf(state, trigger.field);
    const stands = state !== null && (trigger.op === "changed" || satisfies(trigger.op, value, trigger.value));
    if (!stands) this.#end(rule, wait, value);
  }

  /** The wait is over. One that ended long ago, while the hub was off, is only traced. */
  due(rule: Rule, timer: DueTimer): void {
    const { traces, clock, fire, house } = this.#options;
    const { trigger, causes } = JSON.parse(timer.payload) as TriggerEvent; // written by change()
    const device = house.registry.find(deviceOf(timer.payload) ?? "");
    if (trigger.type === "any_state" && device === null) return; // it was removed meanwhile
    const triggerEvent = { trigger, causes };
    const late = timer.lateMs === null || timer.lateMs > LATE_MS;
    if (timer.lateMs !== null && timer.lateMs > MISFIRE_MS)
      traces.add(rule.id, { at: clock.now(), outcome: "not_run", reason: "missed", trigger: triggerEvent.trigger });
    else fire(rule, { ...triggerEvent, late });
  }

  /** Removes a rule's wait. */
  drop(ruleId: number): void {
    this.#options.timers.removeOf(ruleId, ["hold"]);
  }

  /** A trigger for any device waits for each of them by itself. */
  #waitOf(ruleId: number, part: number, deviceId: string): StoredTimer | undefined {
    return this.#options.timers
      .of(ruleId)
      .find(({ kind, payload }) => kind === "hold" && partOf(payload) === part && deviceOf(payload) === deviceId);
  }

  #end(rule: Rule, wait: StoredTimer, saw: unknown): void {
    const { timers, traces, clock } = this.#options;
    timers.remove(wait.id);
    const triggerEvent = JSON.parse(wait.payload) as TriggerEvent; // written by change()
    traces.add(rule.id, {
      at: clock.now(),
      outcome: "not_run",
      reason: "hold_ended",
      trigger: triggerEvent.trigger,
      saw,
    });
  }
}

/** The device whose value a wait is about. */
function deviceOf(payload: string): string | null {
  const { trigger } = JSON.parse(payload) as TriggerEvent; // written by change()
  return typeof trigger.deviceId === "string" ? trigger.deviceId : null;
}
