/**
 * What each rule did, or considered and did not do, with the deciding value. Kept short and written in batches: a trace
 * is for a person who asks "why did it not run", not a log.
 */

import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { Cause } from "./causes.ts";
import type { LeafCondition, RunResult } from "./rules/rule.ts";
import { AutomationTable } from "./tables/automation.ts";
import { AutomationTraceTable } from "./tables/automation-trace.ts";
import { brief } from "./trigger-event.ts";

/** Why a triggered rule did not run, or why a run ended early. */
export type NotRunReason =
  | "condition" /** a condition did not hold */
  | "cooldown" /** the last run was too short ago */
  | "busy" /** single: a run still waits */
  | "queue_full" /** ten wait or run already */
  | "loop" /** the rule is one of its own causes */
  | "chain_too_deep" /** eight rules led to this one */
  | "rate" /** more than 60 runs in a minute: the rule is switched off */
  | "missed" /** the time passed while the hub was off or did not know the time */
  | "hold_ended" /** the value changed back before the hold time was over */
  | "restarted" /** restart: a newer run took its place */
  | "disabled" /** the rule was switched off while the run waited */
  | "paused" /** somebody paused the rule, and its time has not come */
  | "author"; /** the writing key has ended or may not do all of it; or the author changed meanwhile */

/** The outcome of one step. */
export interface StepTrace {
  readonly type: "command" | "notify" | "scene" | "house" | "delay";
  /** Device id, scene id, mode, message title or seconds. */
  readonly what: string;
  readonly result: "sent" | "failed" | "waited" | "skipped_late";
  readonly error?: string;
  /** The error as a code with values, if the hub has a code for it. */
  readonly words?: Detail;
}

/** One trace; at most 4 KiB as JSON. */
export interface Trace {
  /** Epoch ms. */
  readonly at: number;
  readonly outcome: "ran" | "waiting" | "not_run" | "stopped";
  /** What triggered it, in the trigger's own members. */
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly runId?: string;
  readonly reason?: NotRunReason;
  /** The condition that decided, and the value it saw. */
  readonly decidedBy?: LeafCondition | null;
  readonly saw?: unknown;
  readonly result?: RunResult;
  readonly steps?: readonly StepTrace[];
  /** The rules that led here, oldest first. */
  readonly causes?: readonly Cause[];
  /** Set when parts were left out to stay within 4 KiB. */
  readonly shortened?: true;
}

/** Traces kept per rule. */
const TRACES_PER_RULE = 50;

const WRITE_EVERY_MS = 1_000;
/** Rules whose traces go into one job: a job stops the hub while it runs, and a gate may be waiting. */
const RULES_PER_JOB = 16;
const NEXT_JOB_MS = 100;
const MAX_BYTES = 4_096;

interface Pending {
  traces: { at: number; body: string }[];
  ran: { lastTriggeredAt: number | null; lastResult: RunResult | null } | null;
}

/** Collects traces and last results, and writes them once a second. */
export class Traces {
  readonly #options: ConstructorParameters<typeof Traces>[0];
  readonly #pending = new Map<number, Pending>();
  /** What a job that has not ended is writing. */
  readonly #writing = new Set<readonly [automationId: number, pending: Pending][]>();
  #tables: { traces: AutomationTraceTable; rules: AutomationTable } | null = null;
  #timer: Timer | null = null;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Prepares the statements. */
  start(): void {
    const { database } = this.#options;
    this.#tables = { traces: new AutomationTraceTable(database), rules: new AutomationTable(database) };
  }

  /** Writes what is left. */
  async stop(): Promise<void> {
    await this.flush();
    this.#tables = null;
  }

  /** Adds a trace of a rule. */
  add(automationId: number, trace: Trace): void {
    const pending = this.#of(automationId);
    pending.traces.push({ at: trace.at, body: compact(trace) });
    if (pending.traces.length > TRACES_PER_RULE) pending.traces.shift();
  }

  /** Notes when a rule last began to run and how its last run ended. */
  ran(automationId: number, lastTriggeredAt: number | null, lastResult: RunResult | null): void {
    this.#of(automationId).ran = { lastTriggeredAt, lastResult };
  }

  /** The traces of a rule, newest first. */
  async list(automationId: number, limit = TRACES_PER_RULE): Promise<Trace[]> {
    await this.flush();
    const rows = this.#tables?.traces.list(automationId, limit) ?? [];
    return rows.flatMap((row) => storedJson<Trace | null>(row.body, null) ?? []);
  }

  /** Inside a job: deletes what a plate set off in a household, whose rules these are, written or not. */
  forgetPlate(siteId: number, plate: string, ruleIds: ReadonlySet<number>): void {
    this.#tables?.traces.removePlate(siteId, plate);
    const named = `"plate":${JSON.stringify(plate)}`;
    for (const [id, pending] of [this.#pending, ...this.#writing].flatMap((some) => [...some]))
      if (ruleIds.has(id)) pending.traces = pending.traces.filter(({ body }) => !body.includes(named));
  }

  /** Deletes traces from before a moment (epoch ms). */
  async removeOlder(at: number): Promise<void> {
    await this.#options.database.write(() => this.#tables?.traces.removeOlder(at));
  }

  /** Writes what was collected; resolves when it is on disk. */
  async flush(): Promise<void> {
    this.#timer?.stop();
    this.#timer = null;
    while (this.#pending.size > 0 && this.#tables !== null) await this.#writeSome();
  }

  /** Writes a part of the collected traces, the longest waiting rules first; the rest a little later. */
  #writeInTurn(): void {
    void this.#writeSome();
    this.#timer = this.#pending.size > 0 ? this.#options.clock.after(NEXT_JOB_MS, () => this.#writeInTurn()) : null;
  }

  async #writeSome(): Promise<void> {
    const tables = this.#tables;
    if (tables === null) return;
    const batch = [...this.#pending].slice(0, RULES_PER_JOB);
    for (const [automationId] of batch) this.#pending.delete(automationId);
    this.#writing.add(batch);
    try {
      await this.#options.database.write(() => {
        for (const [automationId, pending] of batch) {
          for (const trace of pending.traces) tables.traces.insert(automationId, trace.at, trace.body);
          if (pending.traces.length > 0) tables.traces.trim(automationId, TRACES_PER_RULE);
          if (pending.ran !== null) tables.rules.ran(automationId, pending.ran.lastTriggeredAt, pending.ran.lastResult);
        }
      });
    } catch (error) {
      // they are a help, not a promise
      this.#options.logger.warn({ err: error, rules: batch.length }, "traces could not be stored");
    } finally {
      this.#writing.delete(batch);
    }
  }

  #of(automationId: number): Pending {
    this.#timer ??= this.#options.clock.after(WRITE_EVERY_MS, () => this.#writeInTurn());
    const known = this.#pending.get(automationId);
    if (known !== undefined) return known;
    const fresh: Pending = { traces: [], ran: null };
    this.#pending.set(automationId, fresh);
    return fresh;
  }
}

/** JSON text of at most 4 KiB: long values are cut, then steps are left out. */
function compact(trace: Trace): string {
  const whole = JSON.stringify(trace);
  if (Buffer.byteLength(whole) <= MAX_BYTES) return whole;
  const cut: object = {
    ...trace,
    trigger: cutValues(trace.trigger),
    ...(trace.saw === undefined ? {} : { saw: brief(trace.saw) }),
    ...(trace.decidedBy ? { decidedBy: cutValues({ ...trace.decidedBy }) } : {}),
    shortened: true,
  };
  const steps = (trace.steps ?? []).map((step) => ({
    ...step,
    what: step.what.slice(0, 80),
    ...(step.error === undefined ? {} : { error: step.error.slice(0, 120) }),
  }));
  for (let kept = steps.length; kept >= 0; kept = kept > 8 ? kept - 8 : kept - 1) {
    const text = JSON.stringify({ ...cut, steps: steps.slice(0, kept) });
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return JSON.stringify({
    at: trace.at,
    outcome: trace.outcome,
    trigger: { type: trace.trigger.type },
    reason: trace.reason,
    result: trace.result,
    shortened: true,
  });
}

function cutValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, brief(value)]));
}
