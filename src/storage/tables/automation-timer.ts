import type { Database } from "../database.js";

/** What a stored timer is for. */
export type TimerKind = "schedule" | "interval" | "hold" | "delay" | "queued";

/** A timer as stored; times are epoch milliseconds as the hub believed them when the row was written. */
export interface StoredTimer {
  readonly id: number;
  readonly automationId: number;
  readonly kind: TimerKind;
  readonly dueAt: number;
  readonly startedAt: number;
  /** What was left to wait at `savedAt`. */
  readonly remainingMs: number;
  readonly savedAt: number;
  /** Whether `dueAt` came from a clock that could be believed. */
  readonly wallTrusted: boolean;
  /** JSON text; its shape goes by `kind`. */
  readonly payload: string;
}

interface Row {
  id: number;
  automationId: number;
  kind: TimerKind;
  dueAt: number;
  startedAt: number;
  remainingMs: number;
  savedAt: number;
  wallTrusted: 0 | 1;
  payload: string;
}

/** The prepared statements of table `automation_timer`. Changing ones run inside a write job. */
export interface AutomationTimerTable {
  /** Every timer, oldest first. */
  all(): StoredTimer[];
  /** Writes a timer under the id it was given in memory; replaces one of that id. */
  put(timer: StoredTimer): void;
  remove(id: number): void;
  removeOfRule(automationId: number): void;
  /** The largest id ever given; ids are not used twice. */
  lastId(): number;
}

/** Prepares the statements of table `automation_timer`. */
export function automationTimerTable(database: Database): AutomationTimerTable {
  const { raw } = database;
  const all = raw.prepare<[], Row>("SELECT * FROM automation_timer ORDER BY id");
  // A rule may have been deleted between the decision to wait and this write: then there is nothing to wait for.
  const put = raw.prepare(
    `INSERT INTO automation_timer (id, automation_id, kind, due_at, started_at, remaining_ms, saved_at, wall_trusted, payload)
     SELECT ?, id, ?, ?, ?, ?, ?, ?, ? FROM automation WHERE id = ?
     ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, started_at = excluded.started_at,
       remaining_ms = excluded.remaining_ms, saved_at = excluded.saved_at, wall_trusted = excluded.wall_trusted, payload = excluded.payload`,
  );
  const remove = raw.prepare("DELETE FROM automation_timer WHERE id = ?");
  const removeOfRule = raw.prepare("DELETE FROM automation_timer WHERE automation_id = ?");
  const lastId = raw.prepare<[], { id: number | null }>("SELECT max(seq) AS id FROM sqlite_sequence WHERE name = 'automation_timer'");
  return {
    all: () =>
      all.all().map((row) => ({
        id: row.id,
        automationId: row.automationId,
        kind: row.kind,
        dueAt: row.dueAt,
        startedAt: row.startedAt,
        remainingMs: row.remainingMs,
        savedAt: row.savedAt,
        wallTrusted: row.wallTrusted === 1,
        payload: row.payload,
      })),
    put: (timer) =>
      void put.run(
        timer.id,
        timer.kind,
        timer.dueAt,
        timer.startedAt,
        timer.remainingMs,
        timer.savedAt,
        timer.wallTrusted ? 1 : 0,
        timer.payload,
        timer.automationId,
      ),
    remove: (id) => void remove.run(id),
    removeOfRule: (automationId) => void removeOfRule.run(automationId),
    lastId: () => lastId.get()?.id ?? 0,
  };
}
