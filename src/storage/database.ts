/**
 * Owns the one SQLite file: opens it, migrates it, and is the only way to write to it.
 *
 * Writers hand in small synchronous jobs; jobs that come together share one transaction and one fsync (group
 * commit, WAL, synchronous=FULL), and a job's promise resolves only after that commit. Whatever the hub
 * acknowledged is therefore on disk. Reads go straight to `raw` between commits.
 * Knows nothing of what the tables mean: that is in `tables/`.
 */
import type SqliteDatabase from "better-sqlite3";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import { type BadRow, findBadRows, keepAside, rowsSetAside, setBadRowsAside, type UnreadableRow } from "./bad-rows.js";
import { FilePlace, type PlaceTrouble } from "./file-place.js";
import { readMigrations } from "./migrate.js";
import { openFile } from "./open-file.js";
import { type EarlierCopy, openStandIn } from "./stand-in.js";
import { refusalOf, type StorageState, stateAfter, stateAtOpen } from "./storage-state.js";
import { watchFailures } from "./watched.js";

/** What a {@link Database} needs. */
export interface DatabaseOptions {
  readonly file: string;
  readonly migrationsFolder: string;
  /** Least time between two group commits; the first write after a quiet time commits at once. */
  readonly commitIntervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether there was a database here that had an owner: then an empty or missing file is a loss, not a beginning. No unless given. */
  readonly isExpected?: () => boolean;
  /** An earlier copy that has the owner's account, for when the file has it no more; none unless given. */
  readonly earlierCopy?: () => Promise<EarlierCopy | null>;
  /** Called once when a read of a running hub meets a damaged page, just before writes are refused: the last that can be recorded. */
  readonly onDamage?: (reason: string) => void;
}

interface Job {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a patient write may wait while the card is spared. */
const SPARING_MS = 1_000;
/** A disk that takes no writes is tried again this often. */
const PROBE_MS = 5_000;
const PLACE_LOOK_MS = 1_000;
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
  #troubleSinceMono = 0;
  #place: FilePlace | null = null;
  #placeTimer: NodeJS.Timeout | null = null;
  #badRows: readonly BadRow[] = [];
  /** Whether a database in memory stands in for the file: then nothing is stored until the next start. */
  #isStandIn = false;
  #isStarted = false;
  #commits = 0;
  #jobs = 0;
  #afterCommit: (() => void)[] = [];

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  /**
   * Opens and migrates the file. After an unclean stop the whole file is checked (`PRAGMA quick_check`). Cells that cannot be read are set aside.
   * A file that cannot be used leaves the hub running with another `state` than `ok`: reads go to the file, or to what could be read of it in memory
   * where the hub's parts could not start from it; writes are refused.
   * @throws Problem `database_newer` when a newer Gatehouse wrote the file; it is left untouched.
   */
  async start(): Promise<void> {
    const { file, logger, clock } = this.#options;
    try {
      await openFile(this.#options, (raw) => {
        this.#raw = raw;
      });
      this.#place = new FilePlace(file);
      setBadRowsAside(this.raw, clock.now());
    } catch (error) {
      if (error instanceof Problem) {
        this.#close();
        throw error;
      }
      const state = stateAtOpen(error, file);
      if (state === null) throw error;
      this.#become(state, error instanceof Error ? error.message : String(error), error);
      if (!this.#canStartFromFile()) await this.#standIn();
    }
    this.#badRows = rowsSetAside(this.raw, clock.now());
    if (this.#badRows.length > 0) logger.warn({ rows: this.#badRows }, "rows that could not be read were set aside");
    watchFailures(this.raw, (error) => this.#noteFailure(error));
    this.#placeTimer = setInterval(() => void this.#lookAside(), PLACE_LOOK_MS).unref();
    this.#isStarted = true;
  }

  /** Whether the parts of the hub find in the file what they start from, although it takes no writes. */
  #canStartFromFile(): boolean {
    const { migrationsFolder } = this.#options;
    if (this.#raw === null || this.#state === "damaged") return false;
    try {
      return this.#raw.pragma("user_version", { simple: true }) === readMigrations(migrationsFolder).length && findBadRows(this.#raw).length === 0;
    } catch {
      return false;
    }
  }

  async #standIn(): Promise<void> {
    const { file, migrationsFolder, logger, clock, earlierCopy = async () => null } = this.#options;
    this.#close();
    this.#raw = await openStandIn({ file, migrationsFolder, earlierCopy, logger });
    this.#isStandIn = true;
    setBadRowsAside(this.#raw, clock.now());
  }

  #close(): void {
    this.#raw?.close();
    this.#raw = null;
  }

  /** Commits what waits, marks the stop as clean and closes the file. */
  async stop(): Promise<void> {
    if (this.#placeTimer !== null) clearInterval(this.#placeTimer);
    this.#placeTimer = null;
    if (this.#raw === null) return;
    this.#flush();
    if (this.#state === "ok") {
      this.#raw.prepare("UPDATE hub SET value = '1' WHERE key = 'clean_stop'").run();
      this.#raw.pragma("wal_checkpoint(TRUNCATE)");
    }
    this.#close();
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

  /** Whether the hub works on a copy in memory, because the file could not be used at the start. */
  get isStandIn(): boolean {
    return this.#isStandIn;
  }

  /** Rows that could not be read at this start or lately, newest first. */
  get badRows(): readonly BadRow[] {
    return this.#badRows;
  }

  /** Keeps what could not be read of a row, and has it told; inside a job, in which the row itself goes or is mended. */
  setAside({ content, ...row }: UnreadableRow): void {
    const at = this.#options.clock.now();
    keepAside(this.raw, { content, ...row }, at);
    this.committed(() => {
      this.#badRows = rowsSetAside(this.raw, at);
      this.#options.logger.warn({ row }, "a row that could not be read was set aside");
    });
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

  /** As {@link Database.write}, for what may go unrecorded where the storage takes nothing: answers null then. @throws what the job threw */
  async writeIfPossible<Result>(job: () => Result): Promise<Result | null> {
    try {
      return await this.write(job);
    } catch (error) {
      if (this.#state !== "ok" && error instanceof Problem && (error.code === "storage_full" || error.code === "unavailable")) return null;
      throw error;
    }
  }

  /** Room was made on a full disk: the next write is tried at once. */
  roomMade(): void {
    this.#troubleSinceMono = Number.NEGATIVE_INFINITY;
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
      const trouble = this.#place?.look() ?? null;
      if (trouble !== null) throw this.#noteTrouble(trouble);
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
          if (this.#stateAfter(error) !== null) throw error;
          raw.prepare("ROLLBACK TO job").run();
          this.#afterCommit.length = announced;
          settle.push(() => job.reject(error));
        }
        release.run();
      }
      raw.prepare("COMMIT").run();
      const trouble = this.#place?.look() ?? null; // what went into a file that nobody finds again is not acknowledged
      if (trouble !== null) throw this.#noteTrouble(trouble);
      this.#commits += 1;
      this.#jobs += jobs.length;
      if (this.#state === "full" || this.#state === "unwritable") this.#recovered();
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
    const isTried = (this.#state === "full" || this.#state === "unwritable") && !this.#isStandIn;
    if (!isTried || this.#options.clock.mono() - this.#troubleSinceMono < PROBE_MS) {
      const refusal = refusalOf(this.#state);
      if (refusal !== null) return refusal;
    }
    if (this.#waiting.length >= MAX_WAITING_JOBS)
      return new Problem("unavailable", "Too many writes are waiting for the disk.", { headers: { "Retry-After": "1" } });
    return null;
  }

  #recovered(): void {
    this.#state = "ok";
    this.#stateReason = null;
    this.#options.logger.info({}, "the disk takes writes again");
  }

  #stateAfter(error: unknown): ReturnType<typeof stateAfter> {
    return this.#raw?.memory === true ? null : stateAfter(error, this.#options.file);
  }

  #noteFailure(error: unknown): void {
    const state = stateAfter(error, this.#options.file);
    if (state === null) return;
    const reason = error instanceof Error ? error.message : String(error);
    if (state === "damaged" && this.#isStarted && this.#state !== "damaged") this.#options.onDamage?.(reason);
    this.#become(state, reason, error);
  }

  /** Notes where the files are not any more, and answers what a writer is told. */
  #noteTrouble({ state, reason }: PlaceTrouble): Problem {
    this.#become(state, reason);
    return refusalOf(state, new Error(reason)) ?? new Problem("unavailable", reason);
  }

  /** A damaged file stays one until the next start, whatever else is found. */
  #become(state: StorageState, reason: string, error?: unknown): void {
    this.#troubleSinceMono = this.#options.clock.mono();
    if (this.#state === state || this.#state === "damaged") return;
    this.#state = state;
    this.#stateReason = reason;
    this.#options.logger.error({ storage: state, reason, ...(error === undefined ? {} : { err: error }) }, "the database cannot be written");
  }

  async #lookAside(): Promise<void> {
    const place = this.#place;
    if (place === null || this.#isStandIn) return;
    const trouble = await place.lookAside();
    if (this.#placeTimer === null) return; // stopped meanwhile
    if (trouble !== null) this.#noteTrouble(trouble);
    else if (this.#state === "gone") this.#recovered();
  }

  #asProblem(error: unknown): unknown {
    if (error instanceof Problem) return error;
    return refusalOf(this.#state, error) ?? error;
  }
}
