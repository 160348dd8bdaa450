/**
 * Runs rules: their steps in order, the waits between them, and the mode for a trigger during a waiting run. Steps up
 * to a wait are started at once and in order; a failed step does not stop the next ones. A waiting run keeps its
 * original steps: an edit only affects later runs.
 */

import type { Clock } from "../../core/kernel/clock.ts";
import { prefixedUlid } from "../../core/kernel/ids.ts";
import type { Cause } from "./causes.ts";
import type { House } from "./house.ts";
import type { RuleCache } from "./rule-cache.ts";
import { branchOf, type Rule, type RunResult, type Step, stepsOf } from "./rules/rule.ts";
import type { RunReports } from "./run-reports.ts";
import type { Steps } from "./steps.ts";
import type { StoredTimer } from "./tables/automation-timer.ts";
import type { DueTimer, Timers } from "./timers.ts";
import type { NotRunReason, StepTrace, Traces } from "./traces.ts";
import type { TriggerEvent } from "./trigger-event.ts";
import { isPausedAt, LATE_MS, opensNothing, withoutPlate } from "./trigger-event.ts";

/** Runs of one rule that may wait, in the queue or side by side. */
const MAX_WAITING_RUNS = 10;

/** A run under way; the part that a delay's row keeps. */
interface Run {
  readonly id: string;
  trigger: TriggerEvent["trigger"];
  /** The chain with this rule at its end. */
  readonly causes: readonly Cause[];
  readonly steps: readonly Step[];
  next: number;
  late: boolean;
  /** The results of the steps so far; a restart forgets them. */
  done: StepTrace[];
  /** Who answered for the rule when the run began to wait, null: the household; absent before that, and in old rows. */
  issuer?: number | null;
  /** Settles when the previous part has been reported: parts are reported in order. */
  reported?: Promise<void>;
}

/** The outcome of a trigger. */
export type StartVerdict =
  | { readonly started: true; readonly runId: string }
  | { readonly started: false; readonly reason: "busy" | "queue_full" | "queued" };

/** The runs of all rules. */
export class Runs {
  readonly #options: ConstructorParameters<typeof Runs>[0];
  /** Rule id → timer id of the wait → run. */
  readonly #waiting = new Map<number, Map<number, Run>>();
  /** Runs whose steps have been handed over and not reported, with their rules. */
  readonly #reporting = new Map<Run, number>();

  constructor(options: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly traces: Traces;
    readonly steps: Steps;
    readonly rules: RuleCache;
    readonly reports: RunReports;
    readonly house: Pick<House, "grants">;
  }) {
    this.#options = options;
  }

  /** Takes over a wait that was under way when the hub stopped. */
  restore(timer: StoredTimer): void {
    // written by #wait
    if (timer.kind === "delay") this.#waits(timer.automationId).set(timer.id, JSON.parse(timer.payload) as Run);
  }

  /** Why the rule's mode allows no run now; null if it does. */
  refusal(rule: Rule): "busy" | "queue_full" | null {
    const waiting = this.#waiting.get(rule.id)?.size ?? 0;
    if (waiting === 0 || rule.mode === "restart") return null;
    if (rule.mode === "single") return "busy";
    const taken = rule.mode === "queued" ? this.#queued(rule.id).length : waiting;
    return taken >= MAX_WAITING_RUNS ? "queue_full" : null;
  }

  /** Starts a run, queues it or refuses it, according to the rule's mode. */
  start(rule: Rule, triggerEvent: TriggerEvent): StartVerdict {
    const reason = this.refusal(rule);
    if (reason !== null) return { started: false, reason };
    const waits = (this.#waiting.get(rule.id)?.size ?? 0) > 0;
    if (waits && rule.mode === "queued") return this.#enqueue(rule, triggerEvent);
    if (waits && rule.mode === "restart") this.stopAll(rule.id, "restarted");
    return { started: true, runId: this.#begin(rule, triggerEvent) };
  }

  /** Continues the run whose delay is over. */
  resume(timer: DueTimer): void {
    const run = this.#waits(timer.automationId).get(timer.id);
    const rule = this.#options.rules.get(timer.automationId);
    this.#waits(timer.automationId).delete(timer.id);
    if (run === undefined || rule === null) return;
    // a person who has rewritten the rule or taken it over does not answer for what another had begun
    if (run.issuer !== undefined && run.issuer !== this.#issuerOf(rule.id)) {
      this.#stopped(rule.id, run, "author");
      this.#drain(rule.id);
      return;
    }
    if (timer.lateMs === null || timer.lateMs > LATE_MS) run.late = true;
    this.#advance(rule, run);
  }

  /** Ends every waiting and queued run of a rule, with a trace for each that waited. */
  stopAll(ruleId: number, reason: NotRunReason): void {
    const { timers } = this.#options;
    for (const [timerId, run] of this.#waiting.get(ruleId) ?? []) {
      timers.remove(timerId);
      this.#stopped(ruleId, run, reason);
    }
    this.#waiting.delete(ruleId);
    timers.removeOf(ruleId, ["queued"]);
  }

  #stopped(ruleId: number, run: Run, reason: NotRunReason): void {
    const { traces, clock, reports } = this.#options;
    const { trigger, id: runId, done: steps, causes } = run;
    traces.add(ruleId, { at: clock.now(), outcome: "stopped", reason, trigger, runId, steps, causes });
    reports.ended(ruleId, "stopped", run.done, run.trigger);
  }

  #issuerOf(ruleId: number): number | null {
    return this.#options.house.grants.issuerOf("automation", String(ruleId));
  }

  /** Empties the queue of a rule that is paused: these runs have not begun. */
  leaveOutQueued(ruleId: number): void {
    for (const timer of this.#queued(ruleId)) this.#leaveOut(timer);
  }

  /** Forgets the runs of a deleted rule. */
  forget(ruleId: number): void {
    this.#waiting.delete(ruleId);
  }

  /** After a restart: starts queued runs of rules whose waiting run was not restored. */
  drainAll(ruleIds: Iterable<number>): void {
    for (const id of ruleIds) this.#drain(id, true);
  }

  /** Inside a job: takes a plate out of the runs of rules that it set off, whether they wait, are queued or under way. */
  forgetPlate(plate: string, ruleIds: ReadonlySet<number>): void {
    const { timers } = this.#options;
    for (const id of ruleIds) {
      for (const { id: timerId, kind, payload } of timers.of(id)) {
        if (kind !== "delay" && kind !== "queued") continue;
        const kept = JSON.parse(payload) as { trigger: TriggerEvent["trigger"] }; // written by #wait and #enqueue
        const trigger = withoutPlate(kept.trigger, plate);
        if (trigger !== null) timers.rewrite(timerId, JSON.stringify({ ...kept, trigger }));
      }
    }
    const waiting = [...ruleIds].flatMap((id) => [...(this.#waiting.get(id)?.values() ?? [])]);
    const reporting = [...this.#reporting].flatMap(([run, ruleId]) => (ruleIds.has(ruleId) ? [run] : []));
    for (const run of [...waiting, ...reporting]) run.trigger = withoutPlate(run.trigger, plate) ?? run.trigger;
  }

  #enqueue(rule: Rule, triggerEvent: TriggerEvent): StartVerdict {
    const { timers, traces, clock } = this.#options;
    timers.at(Number.POSITIVE_INFINITY, {
      automationId: rule.id,
      kind: "queued",
      payload: JSON.stringify(triggerEvent),
    });
    traces.add(rule.id, { at: clock.now(), outcome: "waiting", trigger: triggerEvent.trigger });
    return { started: false, reason: "queued" };
  }

  #queued(ruleId: number): StoredTimer[] {
    return this.#options.timers.of(ruleId).filter((timer) => timer.kind === "queued");
  }

  /** Runs the queue while nothing waits. After a restart it is unknown how long the queue stood still. */
  #drain(ruleId: number, late = false): void {
    const rule = this.#options.rules.get(ruleId);
    for (const next of this.#queued(ruleId)) {
      if (rule === null || (this.#waiting.get(ruleId)?.size ?? 0) > 0) return;
      const triggerEvent = JSON.parse(next.payload) as TriggerEvent; // written by #enqueue
      // what was queued when the power failed, just as the rule was paused; who runs a paused rule by hand is obeyed
      const isLeftOut =
        isPausedAt(this.#options.clock.now(), rule.pausedUntil) && triggerEvent.trigger.type !== "manual";
      if (isLeftOut) this.#leaveOut(next);
      else {
        this.#options.timers.remove(next.id);
        this.#begin(rule, { ...triggerEvent, late: triggerEvent.late || late });
      }
    }
  }

  #leaveOut({ id, automationId, payload }: StoredTimer): void {
    const { timers, traces, clock } = this.#options;
    timers.remove(id);
    const { trigger, causes } = JSON.parse(payload) as TriggerEvent; // written by #enqueue
    traces.add(automationId, { at: clock.now(), outcome: "not_run", reason: "paused", trigger, causes });
  }

  #begin(rule: Rule, triggerEvent: TriggerEvent): string {
    const at = this.#options.clock.now();
    const id = prefixedUlid("run_", at);
    const cause: Cause = {
      ...{ automationId: rule.id, name: rule.name, runId: id },
      ...(opensNothing(triggerEvent) ? { opensNothing: true } : {}),
    };
    const causes = [...triggerEvent.causes, cause];
    this.#options.reports.began(rule, at);
    this.#advance(rule, {
      id,
      trigger: triggerEvent.trigger,
      causes,
      steps: stepsOf(branchOf(rule.action, triggerEvent.otherwise === true ? "otherwise" : "do") ?? rule.action),
      next: 0,
      late: triggerEvent.late,
      done: [],
    });
    return id;
  }

  /** Carries out the steps up to the next wait or the end. */
  #advance(rule: Rule, run: Run): void {
    const at = this.#options.clock.now();
    const handedOver: Promise<StepTrace>[] = [];
    let waits: Extract<Step, { type: "delay" }> | null = null;
    for (let step = run.steps[run.next]; step !== undefined && waits === null; step = run.steps[run.next]) {
      run.next += 1;
      if (step.type === "delay") waits = step;
      else handedOver.push(this.#options.steps.carryOut(step, { rule, ...run }));
    }
    if (waits !== null) this.#wait(rule.id, run, waits.seconds);
    const before = run.reported;
    this.#reporting.set(run, rule.id);
    const reported: Promise<void> = Promise.all(handedOver).then(async (results) => {
      await before;
      if (run.reported === reported) this.#reporting.delete(run);
      this.#report(rule.id, run, { at, results, waits });
    });
    run.reported = reported;
    if (waits === null) this.#drain(rule.id);
  }

  #wait(ruleId: number, run: Run, seconds: number): void {
    if (run.issuer === undefined) run.issuer = this.#issuerOf(ruleId);
    const { reported: _reported, ...rest } = run;
    const kept: Run = { ...rest, done: [] };
    const timerId = this.#options.timers.after(seconds * 1000, {
      automationId: ruleId,
      kind: "delay",
      payload: JSON.stringify(kept),
    });
    this.#waits(ruleId).set(timerId, run);
  }

  #report(
    ruleId: number,
    run: Run,
    part: { at: number; results: readonly StepTrace[]; waits: { seconds: number } | null },
  ): void {
    const { traces, reports } = this.#options;
    run.done.push(...part.results);
    const common = { at: part.at, trigger: run.trigger, runId: run.id, causes: run.causes };
    if (part.waits !== null) {
      run.done.push({ type: "delay", what: String(part.waits.seconds), result: "waited" });
      traces.add(ruleId, { ...common, outcome: "waiting", steps: [...run.done] });
      return;
    }
    const result: RunResult = run.done.every((step) => step.result === "sent" || step.result === "waited")
      ? "ok"
      : "failed";
    traces.add(ruleId, { ...common, outcome: "ran", result, steps: run.done });
    reports.ended(ruleId, result, run.done, run.trigger);
  }

  #waits(ruleId: number): Map<number, Run> {
    const known = this.#waiting.get(ruleId);
    if (known !== undefined) return known;
    const fresh = new Map<number, Run>();
    this.#waiting.set(ruleId, fresh);
    return fresh;
  }
}
