import { Table } from "../../../core/storage/table.ts";

/** The purpose of a stored timer. */
export type TimerKind = "schedule" | "interval" | "hold" | "delay" | "queued";

/** A timer as stored; times are epoch milliseconds as the hub believed them to be when the row was written. */
export interface StoredTimer {
  readonly id: number;
  readonly automationId: number;
  readonly kind: TimerKind;
  readonly dueAt: number;
  readonly startedAt: number;
  /** The remaining wait at `savedAt`. */
  readonly remainingMs: number;
  readonly savedAt: number;
  /** Whether `dueAt` came from a trusted clock. */
  readonly wallTrusted: boolean;
  /** JSON text; its shape depends on `kind`. */
  readonly payload: string;
}

type TimerRow = Omit<StoredTimer, "wallTrusted"> & { readonly wallTrusted: 0 | 1 };

/** All SQL of `automation_timer`. Writing methods belong inside a write job. */
export class AutomationTimerTable extends Table {
  readonly #all = this.sql.statement<
    [],
    TimerRow
  >(`SELECT id, automation_id AS automationId, kind, due_at AS dueAt, started_at AS startedAt, remaining_ms AS remainingMs, saved_at AS savedAt,
         wall_trusted AS wallTrusted, payload FROM automation_timer ORDER BY id`);
  // A rule may have been deleted between the decision to wait and this write: then nothing is stored.
  readonly #put = this.sql.statement<
    [TimerRow]
  >(`INSERT INTO automation_timer (id, automation_id, kind, due_at, started_at, remaining_ms, saved_at, wall_trusted, payload)
       SELECT @id, id, @kind, @dueAt, @startedAt, @remainingMs, @savedAt, @wallTrusted, @payload FROM automation WHERE id = @automationId
       ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, started_at = excluded.started_at,
         remaining_ms = excluded.remaining_ms, saved_at = excluded.saved_at, wall_trusted = excluded.wall_trusted, payload = excluded.payload`);

  /** Every timer, oldest first. */
  all(): StoredTimer[] {
    return this.#all.all().map((row) => ({ ...row, wallTrusted: row.wallTrusted === 1 }));
  }

  /** Writes a timer under the id it was given in memory; replaces one with that id. */
  put(timer: StoredTimer): void {
    this.#put.run({ ...timer, wallTrusted: timer.wallTrusted ? 1 : 0 });
  }

  readonly remove = this.sql.run<[id: number]>("DELETE FROM automation_timer WHERE id = ?");

  /** The largest id ever given; ids are not used twice. */
  readonly lastId = this.sql.value<[], number>(
    "SELECT max(seq) AS id FROM sqlite_sequence WHERE name = 'automation_timer'",
    0,
  );
}
