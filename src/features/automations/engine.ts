/**
 * Runs the rules: listens to facts and timers, finds the rules they concern, and decides whether each runs. A rule runs
 * when its trigger fires, it is not one of its own causes, its cooldown is over, its conditions hold, its mode allows
 * one more run, and it has not run more than 60 times in a minute. Every "no" is traced with its reason.
 */
import type { Facts } from "../../core/api/facts.ts";
import type { Bus } from "../../core/kernel/bus.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { ClockTrustView } from "../../core/kernel/clock-trust.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import { withBattery } from "../devices/rules/vitals.ts";
import { anybody } from "../house/rules/presence.ts";
import { CauseMemory, MAX_CHAIN } from "./causes.ts";
import type { House } from "./house.ts";
import { RateGuard } from "./rate-guard.ts";
import { lacking } from "./rights.ts";
import type { RuleCache } from "./rule-cache.ts";
import { judgeAll } from "./rules/conditions.ts";
import {
  matchesAnyState,
  matchesEvent,
  matchesMode,
  matchesMoved,
  matchesOccupancy,
  matchesPlate,
  matchesPresence,
  matchesState,
  watches,
} from "./rules/matches.ts";
import { fieldOf } from "./rules/operators.ts";
import { branchOf, goesByTime, type LeafCondition, type Rule, type SimpleTrigger, triggersOf } from "./rules/rule.ts";
import type { World } from "./rules/world.ts";
import type { RunReports } from "./run-reports.ts";
import { Runs, type StartVerdict } from "./runs.ts";
import { Schedules } from "./schedules.ts";
import { StateDurations } from "./state-durations.ts";
import { Steps } from "./steps.ts";
import { type DueTimer, Timers } from "./timers.ts";
import type { NotRunReason, Traces } from "./traces.ts";
import { brief, isPausedAt, partOf, type TriggerEvent } from "./trigger-event.ts";
import { TriggerIndex } from "./trigger-index.ts";

/** Why a rule did not run, with the value that decided. */
interface Refusal {
  readonly reason: NotRunReason;
  readonly decidedBy?: LeafCondition | null;
  readonly saw?: unknown;
}

/** The engine of all rules. */
export class AutomationEngine {
  readonly #options: ConstructorParameters<typeof AutomationEngine>[0];
  readonly #index = new TriggerIndex();
  readonly #causes: CauseMemory;
  readonly #timers: Timers;
  readonly #runs: Runs;
  readonly #schedules: Schedules;
  readonly #stateDurations: StateDurations;
  readonly #guard: RateGuard;
  #unsubscribe: (() => void)[] = [];

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly trust: ClockTrustView;
    readonly logger: Logger;
    readonly bus: Bus<Facts>;
    readonly house: House;
    readonly rules: RuleCache;
    readonly traces: Traces;
    readonly maxRunsPerMinute: number;
    /** How long overdue work waits after a start: meanwhile devices reconnect and report their state. */
    readonly settleMs: number;
    readonly reports: RunReports;
    /** Switches a rule off that runs too often. */
    readonly pause: (rule: Rule) => void;
  }) {
    const { clock } = options;
    this.#options = options;
    this.#causes = new CauseMemory(clock);
    this.#guard = new RateGuard(clock, options.maxRunsPerMinute);
    this.#timers = new Timers(options, (timer) => this.#due(timer));
    const fire = (rule: Rule, triggerEvent: TriggerEvent): void => this.#consider(rule, triggerEvent);
    const steps = new Steps({ ...options, causes: this.#causes });
    this.#runs = new Runs({ ...options, timers: this.#timers, steps });
    this.#schedules = new Schedules({ ...options, timers: this.#timers, fire });
    this.#stateDurations = new StateDurations({ ...options, timers: this.#timers, fire });
  }

  /** Resumes the timers that were running, arms the schedules and begins to listen. */
  start(): void {
    const { rules, bus, trust, clock, settleMs } = this.#options;
    for (const rule of rules.all()) this.#index.add(rule);
    this.#restore();
    this.#timers.arm(settleMs);
    this.#planAll({ settling: true });
    const settled = clock.after(settleMs, () => {
      this.#planAll();
      this.#runs.drainAll(rules.all().map((rule) => rule.id));
    });
    this.#unsubscribe = [
      () => settled.stop(),
      trust.onChange(() => this.#planAll()),
      trust.onJump(() => this.#planAll()),
      bus.on("device.changed", "automations", (fact) => this.#stateChanged(fact)),
      bus.on("device.battery", "automations", (fact) => this.#batteryChanged(fact)),
      bus.on("device.presence", "automations", (fact) => this.#presence(fact)),
      bus.on("device.event", "automations", (fact) => this.#deviceEvent(fact)),
      bus.on("read.decided", "automations", (fact) => this.#readDecided(fact)),
      bus.on("occupancy.changed", "automations", (fact) => this.#occupancyChanged(fact)),
      bus.on("house.mode", "automations", (fact) => this.#modeChanged(fact)),
      bus.on("house.presence", "automations", (fact) => this.#personMoved(fact)),
    ];
  }

  /** See {@link Timers.nextTurn}. */
  nextTurn(ruleId: number): number | null {
    return this.#timers.nextTurn(ruleId);
  }

  /** Stops listening; timers stay on disk for the next start. */
  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
    this.#timers.stop();
  }

  /** Takes a new rule. */
  added(rule: Rule): void {
    this.#index.add(rule);
    this.#schedules.plan(rule);
  }

  /**
   * Takes an edited rule. Only a new trigger restarts its waits; only switching it off and another author end its runs;
   * other rules are not touched.
   */
  changed(before: Rule, after: Rule): void {
    this.#index.remove(before);
    this.#index.add(after);
    if (before.enabled && !after.enabled) this.#runs.stopAll(after.id, "disabled");
    // the new author does not answer for steps of the old one
    if (before.authorKey !== after.authorKey) this.#runs.stopAll(after.id, "author");
    if (before.enabled === after.enabled && JSON.stringify(before.trigger) === JSON.stringify(after.trigger)) return;
    this.#schedules.drop(after.id);
    this.#stateDurations.drop(after.id);
    this.#schedules.plan(after);
  }

  /** Forgets a removed rule; its rows went with it. */
  removed(rule: Rule): void {
    this.#index.remove(rule);
    this.#runs.forget(rule.id);
    this.#timers.forget(rule.id);
    this.#guard.forget(rule.id);
  }

  /** See {@link Runs.forgetPlate}. */
  forgetPlate(plate: string, ruleIds: ReadonlySet<number>): void {
    this.#runs.forgetPlate(plate, ruleIds);
  }

  /** The time zone or the coordinates of a site have changed. */
  siteChanged(siteId: number): void {
    for (const rule of this.#options.rules.all()) {
      if (rule.siteId !== siteId || !triggersOf(rule).some(({ type }) => type === "time" || type === "sun")) continue;
      this.#schedules.drop(rule.id);
      this.#schedules.plan(rule);
    }
  }

  /** Whether the author of a rule may currently do everything that the rule does. */
  mayRun(rule: Rule): boolean {
    const { grants, keys } = this.#options.house;
    if (!grants.stands("automation", String(rule.id))) return false;
    if (rule.authorKey === null) return true;
    const { scopes } = keys.author(rule.authorKey);
    return scopes !== null && lacking(rule, scopes).length === 0;
  }

  /** Whether somebody paused a rule, and its time has not come. */
  isPaused({ pausedUntil }: Rule): boolean {
    return isPausedAt(this.#options.clock.now(), pausedUntil);
  }

  /** Somebody has paused a rule. */
  paused(ruleId: number): void {
    this.#runs.leaveOutQueued(ruleId);
  }

  /** Runs a rule now, whatever its trigger and conditions; its mode still applies. */
  runNow(rule: Rule, actor: string): StartVerdict {
    const mark = this.#options.house.limits.isBound(actor, rule.siteId) ? { opensNothing: true } : {};
    return this.#runs.start(rule, { trigger: { type: "manual", actor, ...mark }, causes: [], late: false });
  }

  /** What conditions of a site's rules are judged against now. */
  world(siteId: number): World {
    const { clock, trust, house } = this.#options;
    return {
      now: trust.state() === "unknown" ? null : clock.now(),
      get place() {
        return house.accounts.site(siteId); // a look into the database: only for conditions that need it
      },
      state: (deviceId) => {
        const device = house.registry.find(deviceId);
        // a rule is not given another site's device; a draft was not checked yet
        return device?.siteId === siteId ? withBattery(device) : null;
      },
      occupancy: () => house.occupancy.now(siteId).inside,
      mode: () => house.modes.now(siteId).mode,
      whereIs: (person) =>
        person === undefined ? anybody(house.presence.count(siteId)) : house.presence.whereIs(siteId, person),
    };
  }

  #restore(): void {
    for (const timer of this.#timers.load()) {
      const rule = this.#options.rules.get(timer.automationId);
      const trigger = rule === null ? undefined : triggersOf(rule)[partOf(timer.payload)];
      if (rule === null || !rule.enabled) this.#timers.remove(timer.id);
      else if (timer.kind === "hold" && (trigger?.type === "state" || trigger?.type === "any_state"))
        this.#stateDurations.restore(rule, trigger, timer);
      else this.#runs.restore(timer);
    }
  }

  #planAll(options: { settling: boolean } = { settling: false }): void {
    for (const rule of this.#options.rules.all()) this.#isolated(rule, () => this.#schedules.plan(rule, options));
  }

  #due(timer: DueTimer): void {
    const rule = this.#options.rules.get(timer.automationId);
    if (rule === null) return;
    this.#isolated(rule, () => {
      if (timer.kind === "delay") this.#runs.resume(timer);
      else if (timer.kind === "hold") this.#stateDurations.due(rule, timer);
      else this.#schedules.due(rule, timer);
    });
  }

  #stateChanged(fact: Facts["device.changed"]): void {
    const candidates = this.#candidates("state", fact.siteId, fact.deviceId);
    const ofAny = this.#candidates("any_state", fact.siteId)
      .filter(({ trigger }) => watches(trigger, this.#options.house.registry.find(fact.deviceId)?.type))
      .map((one) => ({ ...one, starts: matchesAnyState(one.trigger, fact) }))
      .filter(({ trigger, starts }) => starts || (trigger.forSeconds ?? 0) > 0);
    if (candidates.length === 0 && ofAny.length === 0) return;
    const byPerson = fact.source === "api" || fact.source === "console"; // the registry saw whose command it answers
    const causes = byPerson ? [] : this.#causes.of(fact.deviceId, fact.changed, Object.keys(fact.state));
    for (const { rule, trigger, part } of candidates) {
      this.#isolated(rule, () => {
        const { deviceId, field } = trigger;
        const fired = {
          type: "state",
          deviceId,
          field,
          from: brief(fieldOf(fact.previous, field)),
          to: brief(fieldOf(fact.state, field)),
          ...this.#markOf(deviceId),
        };
        const triggerEvent: TriggerEvent = { trigger: fired, causes, late: false };
        if ((trigger.forSeconds ?? 0) > 0)
          this.#stateDurations.change(rule, trigger, {
            change: fact,
            triggerEvent,
            part,
            starts: matchesState(trigger, fact),
          });
        else if (matchesState(trigger, fact)) this.#consider(rule, triggerEvent);
      });
    }
    for (const { rule, trigger, part, starts } of ofAny) {
      const { field } = trigger;
      const [from, to] = [fact.previous, fact.state].map((state) => brief(fieldOf(state, field)));
      const mark = this.#markOf(fact.deviceId);
      const fired = { type: "any_state", deviceId: fact.deviceId, field, from, to, ...mark };
      const triggerEvent: TriggerEvent = { trigger: fired, causes, late: false };
      this.#isolated(rule, () => {
        if ((trigger.forSeconds ?? 0) > 0)
          this.#stateDurations.change(rule, trigger, { change: fact, triggerEvent, part, starts });
        else this.#consider(rule, triggerEvent);
      });
    }
  }

  /** A charge in measured values counts as one in the state. */
  #batteryChanged({ siteId, deviceId, battery, previous: before, at }: Facts["device.battery"]): void {
    const { state = {} } = this.#options.house.registry.find(deviceId) ?? {};
    this.#stateChanged({
      siteId,
      deviceId,
      state: { ...state, battery },
      previous: before === null ? state : { ...state, battery: before },
      changed: ["battery"],
      source: "device",
      at,
      initial: before === null,
    });
  }

  /** The mark of a trigger that comes from a device. */
  #markOf(deviceId: string): { readonly opensNothing?: true } {
    return this.#options.house.commands.hands.isBound(deviceId) ? { opensNothing: true } : {};
  }

  #presence(fact: Facts["device.presence"]): void {
    if (!fact.announced) return; // damped, or only a state after a start
    const mark = this.#markOf(fact.deviceId);
    const fired = { type: "device", deviceId: fact.deviceId, event: fact.online ? "online" : "offline", ...mark };
    for (const { rule, trigger } of this.#candidates("device", fact.siteId, fact.deviceId))
      if (matchesPresence(trigger, fact))
        this.#isolated(rule, () => this.#consider(rule, { trigger: fired, causes: [], late: false }));
  }

  #deviceEvent(fact: Facts["device.event"]): void {
    const candidates = this.#candidates("event", fact.siteId, fact.deviceId);
    if (candidates.length === 0) return;
    const causes = this.#causes.of(fact.deviceId, null, []);
    const fired = { type: "event", deviceId: fact.deviceId, kind: fact.kind, ...this.#markOf(fact.deviceId) };
    for (const { rule, trigger } of candidates)
      if (matchesEvent(trigger, fact))
        this.#isolated(rule, () => this.#consider(rule, { trigger: fired, causes, late: false }));
  }

  #readDecided(fact: Facts["read.decided"]): void {
    if (!fact.firstOfPass) return; // its pass has fired already
    const { deviceId, plate, decision, direction, readId, besideDenied } = fact;
    const fired = {
      type: "plate",
      deviceId,
      plate,
      decision,
      direction,
      readId,
      ...(besideDenied ? { besideDenied } : {}),
      ...(fact.late ? { opensNothing: true } : {}), // or it was shown to the camera
    };
    for (const { rule, trigger } of this.#candidates("plate", fact.siteId))
      if (matchesPlate(trigger, fact))
        this.#isolated(rule, () => this.#consider(rule, { trigger: fired, causes: [], late: fact.late }));
  }

  #occupancyChanged(fact: Facts["occupancy.changed"]): void {
    const mark = fact.opensNothing === true ? { opensNothing: true } : {};
    const fired = { type: "occupancy", from: fact.previous, to: fact.inside, ...mark };
    for (const { rule, trigger } of this.#candidates("occupancy", fact.siteId))
      if (matchesOccupancy(trigger, fact))
        this.#isolated(rule, () => this.#consider(rule, { trigger: fired, causes: [], late: false }));
  }

  #modeChanged(fact: Facts["house.mode"]): void {
    const { siteId, mode, previous, actor } = fact;
    const causes = actor.startsWith("automation:") ? this.#causes.ofMode(siteId, mode) : [];
    // only what a person does by hand may let somebody in, and nobody who may not open everything now
    const isByHand = actor.startsWith("session:") && !this.#options.house.limits.isBound(actor, siteId);
    const fired = { type: "house", from: previous, to: mode, ...(isByHand ? {} : { opensNothing: true }) };
    for (const { rule, trigger } of this.#candidates("house", siteId))
      if (matchesMode(trigger, fact))
        this.#isolated(rule, () => this.#consider(rule, { trigger: fired, causes, late: false }));
  }

  #personMoved(fact: Facts["house.presence"]): void {
    if (!fact.announced) return; // a state after a start, or what was so long ago
    const { siteId, personId: person, is, late, byHand } = fact;
    const fired = {
      ...{ type: "presence", person, event: is === "home" ? "arrives" : "leaves" },
      ...(byHand && !this.#options.house.limits.isPersonBound(person, siteId) ? {} : { opensNothing: true }),
    };
    for (const { rule, trigger } of this.#candidates("presence", siteId))
      if (matchesMoved(trigger, fact))
        this.#isolated(rule, () => this.#consider(rule, { trigger: fired, causes: [], late }));
  }

  /** The enabled rules of this site with a trigger of `type` that names the device (if any), each trigger by itself. */
  #candidates<Type extends SimpleTrigger["type"]>(
    type: Type,
    siteId: number,
    deviceId?: string,
  ): { rule: Rule; trigger: Extract<SimpleTrigger, { type: Type }>; part: number }[] {
    const found: { rule: Rule; trigger: Extract<SimpleTrigger, { type: Type }>; part: number }[] = [];
    for (const id of this.#index.of(type, deviceId)) {
      const rule = this.#options.rules.get(id);
      if (rule === null || !rule.enabled || rule.siteId !== siteId) continue;
      for (const [part, trigger] of triggersOf(rule).entries()) {
        if (trigger.type !== type) continue;
        if (deviceId !== undefined && "deviceId" in trigger && trigger.deviceId !== deviceId) continue;
        // its type has just been compared
        found.push({ rule, trigger: trigger as Extract<SimpleTrigger, { type: Type }>, part });
      }
    }
    return found;
  }

  #consider(triggered: Rule, given: TriggerEvent): void {
    // an earlier rule of the same fact may have changed its notes
    const rule = this.#options.rules.get(triggered.id) ?? triggered;
    // who moves the clock by hours must not open by it what opens at times, nor make it open to what comes next
    const triggerEvent =
      this.#options.clock.isDoubted && goesByTime(rule)
        ? { ...given, trigger: { ...given.trigger, opensNothing: true, timeDoubted: true } }
        : given;
    const { refusal, otherwise } = this.#verdict(rule, triggerEvent);
    if (refusal === null) this.#runs.start(rule, otherwise ? { ...triggerEvent, otherwise } : triggerEvent);
    else this.#notRun(rule, triggerEvent, refusal);
    if (refusal?.reason === "rate") this.#options.pause(rule);
  }

  /** Why the rule does not run, or whether it does what it has for conditions that do not hold. */
  #verdict(
    rule: Rule,
    { causes }: TriggerEvent,
  ): { readonly refusal: Refusal | null; readonly otherwise?: true | undefined } {
    if (causes.some((cause) => cause.automationId === rule.id)) return { refusal: { reason: "loop" } };
    if (causes.length >= MAX_CHAIN) return { refusal: { reason: "chain_too_deep" } };
    if (!this.mayRun(rule)) return { refusal: { reason: "author" } };
    if (this.isPaused(rule)) return { refusal: { reason: "paused" } };
    if (this.#coolsDown(rule)) return { refusal: { reason: "cooldown" } };
    const { holds, decidedBy, saw } = judgeAll(rule.conditions, this.world(rule.siteId));
    if (!holds && branchOf(rule.action, "otherwise") === null)
      return { refusal: { reason: "condition", decidedBy, saw } };
    const reason = this.#runs.refusal(rule);
    if (reason !== null) return { refusal: { reason } };
    if (!this.#guard.allows(rule.id)) return { refusal: { reason: "rate" } };
    return { refusal: null, otherwise: holds ? undefined : true };
  }

  /** A `lastTriggeredAt` in the future was noted by a wrong clock: it is ignored. */
  #coolsDown(rule: Rule): boolean {
    if (rule.lastTriggeredAt === null) return false;
    const sinceMs = this.#options.clock.now() - rule.lastTriggeredAt;
    return sinceMs >= 0 && sinceMs < rule.cooldownSeconds * 1000;
  }

  #notRun(rule: Rule, triggerEvent: TriggerEvent, why: Refusal): void {
    const causes = triggerEvent.causes.length === 0 ? {} : { causes: triggerEvent.causes };
    this.#options.traces.add(rule.id, {
      at: this.#options.clock.now(),
      outcome: "not_run",
      trigger: triggerEvent.trigger,
      ...why,
      ...causes,
    });
  }

  /** Keeps one rule's failure to that rule. */
  #isolated(rule: Rule, task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#options.logger.error({ automationId: rule.id, err: error }, "an automation failed");
    }
  }
}
