/**
 * Keeps every wall-clock trigger and interval armed. A schedule's row names its next occurrence and the last one
 * handled, so that each occurrence runs at most once despite clock jumps: forward jumps and power cuts fall under the
 * misfire rule (up to 15 minutes late it runs once, later it is traced as missed), backward jumps are covered by the
 * last occurrence handled. While the time is unknown nothing here runs.
 */

import type { Clock } from "../../core/kernel/clock.ts";
import type { ClockTrustView } from "../../core/kernel/clock-trust.ts";
import type { House } from "./house.ts";
import { type IntervalTrigger, type Rule, type SimpleTrigger, triggersOf } from "./rules/rule.ts";
import { lastOccurrence, nextOccurrence, type ScheduleTrigger } from "./rules/schedule.ts";
import type { SitePlace } from "./rules/world.ts";
import type { StoredTimer } from "./tables/automation-timer.ts";
import type { DueTimer, Timers } from "./timers.ts";
import type { Traces } from "./traces.ts";
import { LATE_MS, MISFIRE_MS, partOf, type TriggerEvent } from "./trigger-event.ts";

interface Payload {
  /** The occurrence handled last, epoch ms. */
  readonly ran: number | null;
}

/** A handled occurrence that is further ahead than this was reached by a wrong clock: it is ignored. */
const WRONG_CLOCK_MS = 25 * 3_600_000;
/** Represents "not known" in rows. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The schedules and intervals of all rules. */
export class Schedules {
  readonly #options: ConstructorParameters<typeof Schedules>[0];

  constructor(options: {
    readonly clock: Clock;
    readonly trust: ClockTrustView;
    readonly timers: Timers;
    readonly traces: Traces;
    readonly house: House;
    /** Called when a rule's time has come. */
    readonly fire: (rule: Rule, triggerEvent: TriggerEvent) => void;
  }) {
    this.#options = options;
  }

  /**
   * Makes sure that an enabled rule has its timer, due when it should be. While `settling`, an occurrence in the past
   * is left for later.
   */
  plan(rule: Rule, options: { settling: boolean } = { settling: false }): void {
    if (!rule.enabled) return;
    for (const [part, trigger] of triggersOf(rule).entries()) {
      if (trigger.type === "interval") this.#planInterval(rule, trigger, part);
      else if (isSchedule(trigger) && !(options.settling && this.#isPast(rule.id, part)))
        this.#resolve(rule, trigger, part);
    }
  }

  /** Removes a rule's timers. */
  drop(ruleId: number): void {
    this.#options.timers.removeOf(ruleId, ["schedule", "interval"]);
  }

  /** Handles a timer of a rule that has run down. */
  due(rule: Rule, timer: DueTimer): void {
    const part = partOf(timer.payload);
    const trigger = triggersOf(rule)[part];
    if (trigger === undefined) return;
    if (isSchedule(trigger)) this.#resolve(rule, trigger, part);
    else if (trigger.type === "interval") this.#turn(rule, trigger, timer);
  }

  #turn(rule: Rule, trigger: IntervalTrigger, timer: DueTimer): void {
    const periodMs = trigger.everySeconds * 1000;
    const lateMs = timer.lateMs ?? 0;
    // first, so that a rule that fails keeps its rhythm
    this.#options.timers.again(timer.id, periodMs - (lateMs % periodMs));
    if (lateMs <= LATE_MS)
      this.#options.fire(rule, {
        trigger: { type: "interval", everySeconds: trigger.everySeconds },
        causes: [],
        late: false,
      });
  }

  #timerOf(ruleId: number, kind: "schedule" | "interval", part: number): StoredTimer | undefined {
    return this.#options.timers.of(ruleId).find((timer) => timer.kind === kind && partOf(timer.payload) === part);
  }

  #isPast(ruleId: number, part: number): boolean {
    const timer = this.#timerOf(ruleId, "schedule", part);
    return timer !== undefined && timer.dueAt <= this.#options.clock.now();
  }

  #planInterval(rule: Rule, trigger: IntervalTrigger, part: number): void {
    if (this.#timerOf(rule.id, "interval", part) !== undefined) return;
    this.#options.timers.after(trigger.everySeconds * 1000, {
      automationId: rule.id,
      kind: "interval",
      payload: JSON.stringify(part === 0 ? {} : { part }),
    });
  }

  /** Handles an occurrence in the past, and sets the timer to the next. */
  #resolve(rule: Rule, trigger: ScheduleTrigger, part: number): void {
    const { clock, trust, timers, house } = this.#options;
    const row = this.#timerOf(rule.id, "schedule", part);
    const own = part === 0 ? {} : { part };
    if (trust.state() === "unknown") {
      if (row === undefined)
        timers.at(NEVER, { automationId: rule.id, kind: "schedule", payload: JSON.stringify({ ran: null, ...own }) });
      return;
    }
    const now = clock.now();
    const site = house.accounts.site(rule.siteId);
    const known = row === undefined ? null : (JSON.parse(row.payload) as Payload).ran; // written below
    const passed = row === undefined ? null : this.#passed(row, trigger, { site, now });
    const ran = passed ?? (known !== null && known - now > WRONG_CLOCK_MS ? null : known);
    const next = nextOccurrence(trigger, site, Math.max(now, ran ?? now)) ?? NEVER;
    const payload = JSON.stringify({ ran, ...own });
    if (row === undefined) timers.at(next, { automationId: rule.id, kind: "schedule", payload });
    else timers.reset(row.id, next, payload);
    if (passed !== null) this.#meet(rule, trigger, passed);
  }

  /** The latest occurrence since the row was set that was not handled; null when there is none. */
  #passed(row: StoredTimer, trigger: ScheduleTrigger, at: { site: SitePlace; now: number }): number | null {
    if (row.dueAt > at.now) return null;
    const latest = lastOccurrence(trigger, at.site, at.now);
    return latest !== null && latest >= row.dueAt ? latest : row.dueAt;
  }

  #meet(rule: Rule, trigger: ScheduleTrigger, occurrence: number): void {
    const { clock, traces, fire } = this.#options;
    const lateMs = clock.now() - occurrence;
    const what = trigger.type === "time" ? { type: "time", at: trigger.at } : { type: "sun", event: trigger.event };
    const fired = {
      ...what,
      scheduledFor: new Date(occurrence).toISOString(),
      ...(lateMs > LATE_MS ? { lateSeconds: Math.round(lateMs / 1000) } : {}),
    };
    if (lateMs <= MISFIRE_MS) fire(rule, { trigger: fired, causes: [], late: lateMs > LATE_MS });
    else traces.add(rule.id, { at: clock.now(), outcome: "not_run", reason: "missed", trigger: fired });
  }
}

function isSchedule(trigger: SimpleTrigger): trigger is ScheduleTrigger {
  return trigger.type === "time" || trigger.type === "sun";
}
