/**
 * Owns the one SQLite file: opens it, migrates it, and is the only way to write to it.
 *
 * Writers hand in small synchronous jobs; jobs that come together share one transaction and one fsync (group
 * commit, WAL, synchronous=FULL), and a job's promise resolves only after that commit. Whatever the hub
 * acknowledged is therefore on disk. Reads go straight to `raw` between commits.
 * Knows nothing of what the tables mean: that is in `tables/`.
 */
import { closeSync, existsSync, openSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { ownOnly } from "../kernel/own-only.js";
import { Problem } from "../kernel/problem.js";
import { migrate } from "./migrate.js";

/** What a {@link Database} needs. */
export interface DatabaseOptions {
  readonly file: string;
  readonly migrationsFolder: string;
  /** Least time between two group commits; the first write after a quiet time commits at once. */
  readonly commitIntervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `ok`; `full`: the disk takes no more, writes are refused until it does; `damaged`: SQLite found the file corrupt. */
export type StorageState = "ok" | "full" | "damaged";

interface Job {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a patient write may wait while the card is spared. */
const SPARING_MS = 1_000;
const FULL_DISK_PROBE_MS = 5_000;
/** Jobs that may wait for a commit; past it writers get `unavailable` instead of growing the queue without end. */
const MAX_WAITING_JOBS = 20_000;

/** The hub's database with its group-committing writer. */
export class Database {
  readonly name = "storage";
  readonly #options: DatabaseOptions;
  #raw: SqliteDatabase.Database | null = null;
  #state: StorageState = "ok";
  #stateReason: string | null = null;
  #waiting: Job[] = [];
  #flushTimer: NodeJS.Timeout | null = null;
  /** When the next commit is due, by `performance.now()`; null: none is. */
  #flushAtMono: number | null = null;
  #patienceMs = 0;
  #lastCommitMono = Number.NEGATIVE_INFINITY;
  #fullSinceMono = 0;
  #commits = 0;
  #jobs = 0;
  #afterCommit: (() => void)[] = [];

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  /**
   * Opens and migrates the file. After an unclean stop the whole file is checked (`PRAGMA quick_check`).
   * A damaged file leaves the hub running with `state` = `damaged`: reads go on as far as they can, writes are refused.
   * @throws Problem `database_newer` when a newer Gatehouse wrote the file; it is left untouched.
   */
  async start(): Promise<void> {
    const { file, logger } = this.#options;
    const existed = existsSync(file);
    if (!existed) closeSync(openSync(file, "a", 0o600)); // SQLite gives its other files the rights of this one
    for (const name of [file, `${file}-wal`, `${file}-shm`])
      if (!ownOnly(name)) logger.warn({ file: name }, "others can read this file, and it cannot be changed");
    const raw = new SqliteDatabase(file);
    this.#raw = raw;
    raw.pragma("busy_timeout = 2000");
    try {
      await migrate({ raw, folder: this.#options.migrationsFolder, file, logger });
      raw.pragma("journal_mode = WAL");
      raw.pragma("synchronous = FULL");
      raw.pragma("foreign_keys = ON");
      raw.pragma("wal_autocheckpoint = 2000");
      raw.pragma("journal_size_limit = 16777216");
      raw.pragma("cache_size = -8000");
      raw.pragma("temp_store = MEMORY");
      if (existed && this.#stoppedUncleanly()) this.#quickCheck();
      raw.prepare("UPDATE hub SET value = '0' WHERE key = 'clean_stop'").run();
    } catch (error) {
      if (error instanceof Problem) {
        raw.close();
        this.#raw = null;
        throw error;
      }
      this.#noteFailure(error);
      if (this.#state === "ok") throw error;
    }
  }

  /** Commits what waits, marks the stop as clean and closes the file. */
  async stop(): Promise<void> {
    if (this.#raw === null) return;
    this.#flush();
    if (this.#state === "ok") {
      this.#raw.prepare("UPDATE hub SET value = '1' WHERE key = 'clean_stop'").run();
      this.#raw.pragma("wal_checkpoint(TRUNCATE)");
    }
    this.#raw.close();
    this.#raw = null;
  }

  /** The SQLite handle, for prepared statements and reads. @throws Problem `unavailable` before start and after stop. */
  get raw(): SqliteDatabase.Database {
    if (this.#raw === null) throw new Problem("unavailable", "The database is not open.");
    return this.#raw;
  }

  get state(): StorageState {
    return this.#state;
  }

  /** Why `state` is not `ok`, in SQLite's words; null while it is. */
  get stateReason(): string | null {
    return this.#stateReason;
  }

  /** Bytes in the file that rows have left and others will take, before the file grows again. */
  get reusableBytes(): number {
    const pages = Number(this.raw.pragma("freelist_count", { simple: true }));
    return pages * Number(this.raw.pragma("page_size", { simple: true }));
  }

  /** Commits and jobs since start, and jobs waiting now. */
  get figures(): { commits: number; jobs: number; waiting: number } {
    return { commits: this.#commits, jobs: this.#jobs, waiting: this.#waiting.length };
  }

  /**
   * Runs `job` inside the next group commit and resolves with its result once that is on disk.
   * A job is synchronous, works through prepared statements on this database and must not have effects elsewhere:
   * when it throws, its own changes are rolled back, the others of the group stay. `patient`: nobody waits for it but a
   * machine, so that it may wait for others when the card is to be spared ({@link Database.sparesCard}).
   * @throws what the job threw; Problem `storage_full` or `unavailable` when the commit was impossible.
   */
  write<Result>(job: () => Result, patient: "patient" | "prompt" = "prompt"): Promise<Result> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ run: job, resolve: resolve as (value: unknown) => void, reject }); // the job's own result comes back
      this.#scheduleFlush(patient === "patient" ? this.#patienceMs : 0);
    });
  }

  /** Whether patient writes wait up to a second for others to share their commit with. A commit costs the card far more than what is in it. */
  set sparesCard(spares: boolean) {
    this.#patienceMs = spares ? SPARING_MS : 0;
  }

  get sparesCard(): boolean {
    return this.#patienceMs > 0;
  }

  /** Runs `job` at once in a transaction of its own, together with what waits; for start-up and the command line. */
  writeNow<Result>(job: () => Result): Result {
    this.#flush();
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    let result: Result;
    try {
      result = this.raw.transaction(job).immediate();
    } catch (error) {
      this.#afterCommit = [];
      this.#noteFailure(error);
      throw this.#asProblem(error);
    }
    this.#runAfterCommit();
    return result;
  }

  /**
   * Called inside a job: runs `task` once the job's group is on disk, before the job's promise resolves; not at all when
   * the job or the group fails. The place for announcements on the bus.
   */
  committed(task: () => void): void {
    this.#afterCommit.push(task);
  }

  #scheduleFlush(patienceMs: number): void {
    const at = this.#lastCommitMono + Math.max(this.#options.commitIntervalMs, patienceMs);
    if (this.#flushAtMono !== null && this.#flushAtMono <= at) return;
    this.#flushAtMono = at;
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    // Node's own timer, not the Clock: pacing the disk is no product time, and a waiting write must keep the process alive.
    const wait = at - performance.now();
    if (wait <= 0) setImmediate(() => this.#flush());
    else this.#flushTimer = setTimeout(() => this.#flush(), wait);
  }

  #flush(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    this.#flushAtMono = null;
    const jobs = this.#waiting;
    if (jobs.length === 0 || this.#raw === null) return;
    this.#waiting = [];
    this.#commitTogether(jobs, this.#raw);
    this.#lastCommitMono = performance.now();
  }

  #commitTogether(jobs: readonly Job[], raw: SqliteDatabase.Database): void {
    const settle: (() => void)[] = [];
    try {
      raw.prepare("BEGIN IMMEDIATE").run();
      const savepoint = raw.prepare("SAVEPOINT job");
      const release = raw.prepare("RELEASE job");
      for (const job of jobs) {
        savepoint.run();
        const announced = this.#afterCommit.length;
        try {
          const result = job.run();
          settle.push(() => job.resolve(result));
        } catch (error) {
          if (isStorageFailure(error)) throw error;
          raw.prepare("ROLLBACK TO job").run();
          this.#afterCommit.length = announced;
          settle.push(() => job.reject(error));
        }
        release.run();
      }
      raw.prepare("COMMIT").run();
      this.#commits += 1;
      this.#jobs += jobs.length;
      if (this.#state === "full") this.#recovered();
    } catch (error) {
      if (raw.inTransaction) raw.prepare("ROLLBACK").run();
      this.#afterCommit = [];
      this.#noteFailure(error);
      const problem = this.#asProblem(error);
      for (const job of jobs) job.reject(problem);
      return;
    }
    this.#runAfterCommit();
    for (const done of settle) done();
  }

  #runAfterCommit(): void {
    const tasks = this.#afterCommit;
    this.#afterCommit = [];
    for (const task of tasks) {
      try {
        task();
      } catch (error) {
        this.#options.logger.error({ err: error }, "announcement after a commit failed");
      }
    }
  }

  #refusal(): Problem | null {
    if (this.#raw === null) return new Problem("unavailable", "The hub is stopping.");
    if (this.#state === "damaged")
      return new Problem("unavailable", "The database is damaged; nothing can be stored.", { hint: "Restore a backup; see 'gatehouse doctor'." });
    if (this.#state === "full" && this.#options.clock.mono() - this.#fullSinceMono < FULL_DISK_PROBE_MS) return storageFull();
    if (this.#waiting.length >= MAX_WAITING_JOBS)
      return new Problem("unavailable", "Too many writes are waiting for the disk.", { headers: { "Retry-After": "1" } });
    return null;
  }

  #stoppedUncleanly(): boolean {
    const row = this.raw.prepare("SELECT value FROM hub WHERE key = 'clean_stop'").get() as { value: string } | undefined; // hub(key, value TEXT)
    return row?.value === "0";
  }

  #quickCheck(): void {
    const started = this.#options.clock.mono();
    const verdict = this.raw.pragma("quick_check", { simple: true });
    const tookMs = Math.round(this.#options.clock.mono() - started);
    if (verdict === "ok") this.#options.logger.info({ tookMs }, "unclean stop: database checked, all well");
    else throw Object.assign(new Error(`quick_check: ${String(verdict)}`), { code: "SQLITE_CORRUPT" });
  }

  #recovered(): void {
    this.#state = "ok";
    this.#stateReason = null;
    this.#options.logger.info({}, "the disk takes writes again");
  }

  #noteFailure(error: unknown): void {
    const code = sqliteCode(error);
    const reason = error instanceof Error ? error.message : String(error);
    if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") this.#state = "damaged";
    else if (code.startsWith("SQLITE_FULL") || code.startsWith("SQLITE_IOERR") || code.startsWith("SQLITE_READONLY")) {
      this.#state = "full";
      this.#fullSinceMono = this.#options.clock.mono();
    } else return;
    this.#stateReason = reason;
    this.#options.logger.error({ storage: this.#state, err: error }, "the database cannot be written");
  }

  #asProblem(error: unknown): unknown {
    if (this.#state === "full") return storageFull(error);
    if (this.#state === "damaged") return new Problem("unavailable", "The database is damaged; nothing can be stored.", { cause: error });
    return error;
  }
}

function storageFull(cause?: unknown): Problem {
  return new Problem("storage_full", "The hub's storage is full; nothing was changed.", {
    cause,
    hint: "Free space on the data partition.",
    headers: { "Retry-After": "5" },
  });
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Failures of the file itself end the whole group; failures of one job (constraints, problems) end that job only. */
function isStorageFailure(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN)/.test(sqliteCode(error));
}
