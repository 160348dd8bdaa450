import type SqliteDatabase from "better-sqlite3";
import type { Logger } from "../kernel/logger.js";

/** One writer's work in a group. */
export interface Job {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What {@link runGroup} works with beside the jobs. */
export interface GroupOptions {
  readonly raw: SqliteDatabase.Database;
  /** Whether an error says something of the file, so that the whole group fails. */
  readonly isOfFile: (error: unknown) => boolean;
  /** Announcements registered so far; those of a job that throws are taken back. */
  readonly announcements: unknown[];
}

/**
 * Runs the jobs in one transaction and commits it. A job that throws loses its own changes only. Answers what settles their promises.
 * @throws what the file's trouble was; nothing is changed then
 */
export function runGroup(jobs: readonly Job[], { raw, isOfFile, announcements }: GroupOptions): () => void {
  const settle: (() => void)[] = [];
  raw.prepare("BEGIN IMMEDIATE").run();
  const savepoint = raw.prepare("SAVEPOINT job");
  const release = raw.prepare("RELEASE job");
  for (const job of jobs) {
    savepoint.run();
    const announced = announcements.length;
    try {
      const result = job.run();
      settle.push(() => job.resolve(result));
    } catch (error) {
      if (isOfFile(error)) throw error;
      raw.prepare("ROLLBACK TO job").run();
      announcements.length = announced;
      settle.push(() => job.reject(error));
    }
    release.run();
  }
  raw.prepare("COMMIT").run();
  return () => {
    for (const one of settle) one();
  };
}

/** Runs what was to follow a commit; one that fails keeps no other from running. */
export function announce(tasks: readonly (() => void)[], logger: Logger): void {
  for (const task of tasks) {
    try {
      task();
    } catch (error) {
      logger.error({ err: error }, "announcement after a commit failed");
    }
  }
}
