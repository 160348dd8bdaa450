/**
 * Waits that outlive the process. A relative timer (interval, hold, delay) counts monotonic time and is not affected by
 * jumps of the wall clock; a schedule is due at a wall time. Every timer is a row, so a power cut loses none: after a
 * restart the remainder follows from the wall time or, while that cannot be trusted, is what was left when the row was
 * saved. Must never know rules: the caller that adds a timer decides what happens when it is due.
 */
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { ClockTrustView } from "../../core/kernel/clock-trust.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import { AutomationTimerTable, type StoredTimer, type TimerKind } from "./tables/automation-timer.ts";

/** A timer that has become due. */
export interface DueTimer {
  readonly id: number;
  readonly automationId: number;
  readonly kind: TimerKind;
  readonly payload: string;
  /** When it was due, by the wall clock. */
  readonly dueAt: number;
  /** How late it is; null when that is unknown (restored while the clock could not be trusted). */
  readonly lateMs: number | null;
}

interface ScheduledTimer {
  stored: StoredTimer;
  /**
   * Monotonic due time of a relative timer, in the past when it is overdue; null for one that depends on the wall clock
   * or only holds data.
   */
  dueMono: number | null;
  /** Restored from the remaining time alone: the true lateness is not known (yet). */
  blind: boolean;
  handle: Timer | null;
}

const WALL_KINDS: ReadonlySet<TimerKind> = new Set(["schedule", "queued"]);
const SAVE_EVERY_MS = 600_000;
/** Rows that only keep a payload have an end this far away; nothing waits for it. */
const MAX_ARMED_MS = 1_000 * 86_400_000;

/** The timers of all rules. */
export class Timers {
  readonly #options: ConstructorParameters<typeof Timers>[0];
  readonly #due: (timer: DueTimer) => void;
  readonly #entries = new Map<number, ScheduledTimer>();
  readonly #idsByRule = new Map<number, Set<number>>();
  #table: AutomationTimerTable | null = null;
  #lastId = 0;
  #saver: Timer | null = null;
  #unsubscribe: (() => void)[] = [];

  /**
   * `due` is called when a timer is due; the timer is then gone unless it is a schedule, which the callee sets again or
   * removes.
   */
  constructor(
    options: {
      readonly database: Database;
      readonly clock: Clock;
      readonly trust: ClockTrustView;
      readonly logger: Logger;
    },
    due: (timer: DueTimer) => void,
  ) {
    this.#options = options;
    this.#due = due;
  }

  /**
   * Reads the timers without arming them; returns them, so that the owner can drop outdated ones before {@link arm}.
   */
  load(): readonly StoredTimer[] {
    const { database, trust } = this.#options;
    this.#table = new AutomationTimerTable(database);
    this.#lastId = this.#table.lastId();
    const rows = this.#table.all();
    for (const stored of rows) this.#hold({ stored, dueMono: null, blind: trust.state() === "unknown", handle: null });
    return rows;
  }

  /** Starts the timers. An overdue hold or delay still waits `settleMs`. */
  arm(settleMs: number): void {
    const { clock, trust } = this.#options;
    for (const entry of this.#entries.values())
      if (!WALL_KINDS.has(entry.stored.kind)) this.#armRestored(entry, entry.stored.kind === "interval" ? 0 : settleMs);
    this.#saver = clock.every(SAVE_EVERY_MS, () => this.#saveRelative());
    this.#unsubscribe = [trust.onJump(() => this.#rebase()), trust.onChange(() => this.#rebase())];
  }

  /** Stops the timers; the rows stay for the next start. */
  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
    this.#saver?.stop();
    if (this.#table !== null) this.#saveRelative();
    for (const entry of this.#entries.values()) entry.handle?.stop();
    this.#entries.clear();
    this.#idsByRule.clear();
    this.#table = null;
  }

  /** Adds a timer that is due after `ms` of monotonic time; returns its id. */
  after(ms: number, timer: { automationId: number; kind: TimerKind; payload: string }): number {
    const { clock } = this.#options;
    const entry: ScheduledTimer = {
      stored: this.#newRow(timer, clock.now() + ms, ms),
      dueMono: clock.mono() + ms,
      blind: false,
      handle: null,
    };
    return this.#add(entry);
  }

  /**
   * Adds a timer that is due at a wall time, and is held while that is unknown; returns its id. Infinity only keeps the
   * payload.
   */
  at(dueAt: number, timer: { automationId: number; kind: TimerKind; payload: string }): number {
    const stored = this.#newRow(timer, Number.isFinite(dueAt) ? dueAt : Number.MAX_SAFE_INTEGER, 0);
    return this.#add({ stored, dueMono: null, blind: false, handle: null });
  }

  /** Moves a wall-clock timer to another time with another payload, or arms it again where it is. */
  reset(id: number, dueAt: number, payload: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const same = entry.stored.dueAt === dueAt && entry.stored.payload === payload;
    entry.stored = {
      ...entry.stored,
      dueAt,
      payload,
      savedAt: this.#options.clock.now(),
      wallTrusted: this.#believed(),
    };
    this.#schedule(entry);
    if (!same) this.#save([entry.stored]);
  }

  /** Inside a job: puts another payload into a timer, which goes on as before. */
  rewrite(id: number, payload: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.stored = { ...entry.stored, payload };
    this.#table?.put(entry.stored);
  }

  /** Stops and deletes a timer; does nothing if it no longer exists. */
  remove(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#letGo(entry);
    this.#write(() => this.#table?.remove(id));
  }

  /** Removes a rule's timers of these kinds. */
  removeOf(automationId: number, kinds: readonly TimerKind[]): void {
    for (const timer of this.of(automationId)) if (kinds.includes(timer.kind)) this.remove(timer.id);
  }

  /** Forgets a rule's timers whose rows went with the rule. */
  forget(automationId: number): void {
    for (const id of [...(this.#idsByRule.get(automationId) ?? [])]) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) this.#letGo(entry);
    }
  }

  /** When a rule's time comes next, epoch ms; null if no time starts it, or the time is unknown. */
  nextTurn(automationId: number): number | null {
    const horizon = this.#options.clock.now() + MAX_ARMED_MS;
    const times = this.of(automationId).flatMap(({ kind, dueAt }) =>
      (kind === "schedule" || kind === "interval") && dueAt < horizon ? [dueAt] : [],
    );
    return times.length === 0 ? null : Math.min(...times);
  }

  /** A rule's timers, oldest first. */
  of(automationId: number): StoredTimer[] {
    const ids = this.#idsByRule.get(automationId);
    if (ids === undefined) return [];
    return [...ids].flatMap((id) => this.#entries.get(id)?.stored ?? []);
  }

  #hold(entry: ScheduledTimer): void {
    const { id, automationId } = entry.stored;
    this.#entries.set(id, entry);
    const ids = this.#idsByRule.get(automationId) ?? new Set<number>();
    ids.add(id);
    this.#idsByRule.set(automationId, ids);
  }

  #letGo(entry: ScheduledTimer): void {
    const { id, automationId } = entry.stored;
    entry.handle?.stop();
    this.#entries.delete(id);
    const ids = this.#idsByRule.get(automationId);
    ids?.delete(id);
    if (ids?.size === 0) this.#idsByRule.delete(automationId);
  }

  #newRow(
    timer: { automationId: number; kind: TimerKind; payload: string },
    dueAt: number,
    remainingMs: number,
  ): StoredTimer {
    const now = this.#options.clock.now();
    this.#lastId += 1;
    return {
      ...timer,
      id: this.#lastId,
      dueAt: Math.round(dueAt),
      startedAt: now,
      remainingMs: Math.round(remainingMs),
      savedAt: now,
      wallTrusted: this.#believed(),
    };
  }

  #add(entry: ScheduledTimer): number {
    this.#hold(entry);
    this.#schedule(entry);
    this.#save([entry.stored]);
    return entry.stored.id;
  }

  #armRestored(entry: ScheduledTimer, settleMs: number): void {
    const { clock } = this.#options;
    const believable = this.#believed() && entry.stored.wallTrusted;
    entry.blind = !believable;
    const left = believable ? entry.stored.dueAt - clock.now() : entry.stored.remainingMs;
    entry.dueMono = clock.mono() + left;
    this.#schedule(entry, left > 0 ? 0 : settleMs);
  }

  /** Waits until the timer is due, and at least `leastMs`; one that nothing waits for only holds its data. */
  #schedule(entry: ScheduledTimer, leastMs = 0): void {
    const { clock } = this.#options;
    const { dueMono, stored } = entry;
    entry.handle?.stop();
    entry.handle = null;
    if (dueMono !== null)
      entry.handle = clock.at(Math.max(dueMono, clock.mono() + leastMs), () => this.#reached(entry));
    else if (stored.kind === "schedule" && this.#believed() && stored.dueAt <= clock.now() + MAX_ARMED_MS)
      entry.handle = clock.atWall(stored.dueAt, () => this.#reached(entry));
  }

  #reached(entry: ScheduledTimer): void {
    const { clock } = this.#options;
    const { stored } = entry;
    entry.handle = null;
    const lateMs = entry.dueMono === null ? clock.now() - stored.dueAt : clock.mono() - entry.dueMono;
    if (entry.dueMono !== null && stored.kind !== "interval") this.remove(stored.id);
    this.#due({
      id: stored.id,
      automationId: stored.automationId,
      kind: stored.kind,
      payload: stored.payload,
      dueAt: stored.dueAt,
      lateMs: entry.blind ? null : lateMs,
    });
  }

  /** Sets an interval's next turn; its row keeps the first, which defines the rhythm. */
  again(id: number, delayMs: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { clock } = this.#options;
    entry.blind = false;
    entry.dueMono = clock.mono() + delayMs;
    entry.stored = { ...entry.stored, dueAt: Math.round(clock.now() + delayMs) };
    this.#schedule(entry);
  }

  /**
   * After a jump, or once the clock can be trusted: relative timers keep counting, and their rows get the correct wall
   * time.
   */
  #rebase(): void {
    const { clock } = this.#options;
    for (const entry of this.#entries.values()) {
      if (entry.dueMono === null) continue;
      if (entry.blind && this.#believed() && entry.stored.wallTrusted) {
        entry.blind = false;
        const left = entry.stored.dueAt - clock.now();
        entry.dueMono = clock.mono() + left;
        this.#schedule(entry);
      }
    }
    this.#saveRelative();
  }

  #saveRelative(): void {
    const { clock } = this.#options;
    const rows: StoredTimer[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.dueMono === null) continue;
      const left = entry.dueMono - clock.mono();
      // A row whose wall time was right keeps it while the clock is wrong: it will be needed once the clock is right.
      const keepsWall = entry.stored.wallTrusted && !this.#believed();
      const wall = keepsWall ? {} : { dueAt: Math.round(clock.now() + left), wallTrusted: this.#believed() };
      entry.stored = { ...entry.stored, ...wall, remainingMs: Math.round(Math.max(0, left)), savedAt: clock.now() };
      rows.push(entry.stored);
    }
    this.#save(rows);
  }

  #believed(): boolean {
    return this.#options.trust.state() !== "unknown";
  }

  #save(rows: readonly StoredTimer[]): void {
    if (rows.length === 0) return;
    const table = this.#table;
    this.#write(() => {
      for (const row of rows) table?.put(row);
    });
  }

  #write(job: () => void): void {
    this.#options.database
      .write(job)
      .catch((error: unknown) => this.#options.logger.error({ err: error }, "a timer could not be stored"));
  }
}
