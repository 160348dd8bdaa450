import type SqliteDatabase from "better-sqlite3";
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";

/** One writer's work in a group. */
export interface Job {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Statement = SqliteDatabase.Statement<[]>;

/** The statements that each group needs, prepared once per connection. */
interface Statements {
  readonly begin: Statement;
  readonly savepoint: Statement;
  readonly release: Statement;
  readonly undo: Statement;
  readonly commit: Statement;
}

const prepared = new WeakMap<SqliteDatabase.Database, Statements>();

/**
 * Runs the jobs in one transaction and commits it. A job that throws loses only its own changes: each has a savepoint;
 * a single job has the whole transaction. Returns a function that settles their promises.
 * @throws the error about the file; nothing is changed then
 */
export function runGroup(
  jobs: readonly Job[],
  {
    raw,
    isOfFile,
    announcements,
  }: {
    readonly raw: SqliteDatabase.Database;
    /** Whether an error concerns the file, so that the whole group fails. */
    readonly isOfFile: (error: unknown) => boolean;
    /** Announcements registered so far; those of a job that throws are taken back. */
    readonly announcements: unknown[];
  },
): () => void {
  const { begin, savepoint, release, undo, commit } = statementsOf(raw);
  const settle: (() => void)[] = [];
  const isAlone = jobs.length === 1;
  begin.run();
  for (const job of jobs) {
    if (!isAlone) savepoint.run();
    const announced = announcements.length;
    try {
      const result = job.run();
      settle.push(() => job.resolve(result));
    } catch (error) {
      if (isOfFile(error)) throw error;
      announcements.length = announced;
      settle.push(() => job.reject(asConflict(error)));
      if (isAlone) raw.prepare("ROLLBACK").run();
      else undo.run();
    }
    if (!isAlone) release.run();
  }
  if (raw.inTransaction) commit.run();
  return () => {
    for (const one of settle) one();
  };
}

/**
 * A job that names a deleted row is the caller's conflict, not the hub's failure; only this function translates it.
 * Jobs that can be more specific look up the row themselves, inside the job. Other errors stay as they are.
 */
export function asConflict(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "SQLITE_CONSTRAINT_FOREIGNKEY") return error;
  return new Problem("conflict", { code: "conflict.goneMeanwhile" }, { cause: error });
}

function statementsOf(raw: SqliteDatabase.Database): Statements {
  const known = prepared.get(raw);
  if (known !== undefined) return known;
  const prepare = (sql: string): Statement => raw.prepare<[]>(sql);
  const made = {
    begin: prepare("BEGIN IMMEDIATE"),
    savepoint: prepare("SAVEPOINT job"),
    release: prepare("RELEASE job"),
    undo: prepare("ROLLBACK TO job"),
    commit: prepare("COMMIT"),
  };
  prepared.set(raw, made);
  return made;
}

/** Runs what was to follow a commit; one task that fails does not keep the others from running. */
export function announce(tasks: readonly (() => void)[], logger: Logger): void {
  for (const task of tasks) {
    try {
      task();
    } catch (error) {
      logger.error({ err: error }, "announcement after a commit failed");
    }
  }
}
