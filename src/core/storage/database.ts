/**
 * Owns the one SQLite file: opens it, migrates it, and is the only way to write to it.
 *
 * Writers hand in small synchronous jobs; jobs that come together share one transaction and one wait for the disk
 * (group commit, WAL). A job's promise resolves only when its group is on the medium: whatever the hub acknowledged is
 * therefore on disk. The event loop never waits for it (`durable-log.ts`). Reads go straight to `raw` between commits
 * and may see what is not on the medium yet. Must never know what the tables mean: that is in the features' `tables/`.
 */
import type SqliteDatabase from "better-sqlite3";
import { DiskTurns } from "../kernel/disk-turns.ts";
import { Problem } from "../kernel/problem.ts";
import { type BadRow, keepAside, rowsSetAside, setBadRowsAside, type UnreadableRow } from "./bad-rows.ts";
import { CommitTimer } from "./commit-timer.ts";
import type { DatabaseOptions } from "./database-options.ts";
import { type DurableLog, openDurableLog } from "./durable-log.ts";
import { openStandIn } from "./fallback-database.ts";
import { FilePlace } from "./file-place.ts";
import { announce, asConflict, type Job, runGroup } from "./group.ts";
import { corrupt } from "./log-file.ts";
import { canStartFrom, markClean, markServing, openFile } from "./open-file.ts";
import { StorageHealth } from "./storage-health.ts";
import { type StorageState, stateAfter, stateAtOpen, unconfirmed, writesWait } from "./storage-state.ts";
import { stopping } from "./uncaught.ts";
import { watchFailures } from "./watched.ts";

/**
 * Jobs that may wait for a commit or for the medium. Beyond that, writers get `unavailable`, so that the queue cannot
 * grow without end.
 */
const MAX_WAITING_JOBS = 20_000;

/** The hub's database with its group-committing writer. */
export class Database {
  readonly name = "storage";
  readonly #options: DatabaseOptions;
  #raw: SqliteDatabase.Database | null = null;
  readonly #health: StorageHealth;
  #waiting: Job[] = [];
  readonly #commitTimer: CommitTimer;
  #commitDelayMs = 0;
  #place: FilePlace | null = null;
  #log: DurableLog | null = null;
  #isDeferred = false;
  #isRetrying = false;
  #endWatch = (): void => {};
  #badRows: readonly BadRow[] = [];
  /** Whether a database in memory stands in for the file: then nothing is stored until the next start. */
  #isStandIn = false;
  #isStopping = false;
  #hasServed = false;
  #commits = 0;
  #jobs = 0;
  /** Jobs that are committed but not yet known to be on the medium. */
  #unconfirmed = 0;
  #afterCommit: (() => void)[] = [];

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#health = new StorageHealth(options);
    this.#commitTimer = new CommitTimer(options.commitIntervalMs, () => this.#flush());
  }

  /**
   * Opens, migrates and checks the file (`openFile`). If it cannot be used, the hub runs with a `state` other than
   * `ok`: reads go to the file or to what could be read of it into memory, and writes are refused.
   * @throws Problem `database_newer` when a newer Gatehouse wrote the file, which is left untouched
   */
  async start(): Promise<void> {
    const { file, logger, clock, migrationsFolder, source = "usual", because = "" } = this.#options;
    try {
      if (source === "memory" || source === "copy") throw corrupt(`the hub could not start from it: ${because}`);
      await openFile({ ...this.#options, checksAll: source === "checked" }, (raw) => {
        this.#raw = raw;
      });
      this.#place = new FilePlace(file);
      if (!this.raw.memory) this.#commitTimer.shareDisk(new DiskTurns(file));
      setBadRowsAside(this.raw, clock.now());
      this.#openLog();
    } catch (error) {
      if (error instanceof Problem) {
        this.#close();
        throw error;
      }
      // whatever else SQLite reports about a file that existed before, the file is the cause
      const reason = error instanceof Error ? error.message : String(error);
      this.#health.become(stateAtOpen(error, file) ?? "damaged", reason, error);
      if (this.#raw === null || this.state === "damaged" || !canStartFrom(this.#raw, migrationsFolder))
        await this.#openFallback();
    }
    this.#badRows = rowsSetAside(this.raw, clock.now());
    if (this.#badRows.length > 0) logger.warn({ rows: this.#badRows }, "rows that could not be read were set aside");
    watchFailures(this.raw, (error) => this.#health.failed(error));
    if (!this.#isStandIn)
      this.#endWatch = this.#place?.watch((trouble) => this.#health.found(trouble)) ?? this.#endWatch;
    this.#health.isStarted = true;
  }

  async #openFallback(): Promise<void> {
    this.#close();
    this.#raw = await openStandIn(this.#options);
    this.#isStandIn = true;
  }

  #openLog(): void {
    const { file, logger } = this.#options;
    const damaged = (error: Error): void => this.#health.failed(error);
    this.#log = openDurableLog({ raw: this.raw, file, free: () => this.#goOn(), damaged, logger });
  }

  #close(): void {
    this.#raw?.close();
    this.#raw = null;
  }

  /** Call once the hub serves: only then can its stop be a clean one. */
  served(): void {
    if (this.#isStandIn || this.#hasServed) return;
    this.#hasServed = true;
    this.write(() => markServing(this.raw)).catch(() => {}); // the next start then makes unnecessary checks
  }

  /** Commits what is waiting, marks the stop as clean if the hub ever served, and closes the file. */
  async stop(): Promise<void> {
    this.#endWatch();
    if (this.#raw === null) return;
    const log = this.#log;
    this.#isStopping = true;
    await log?.close();
    if (this.#raw === null) return; // stopped twice
    this.#raw.pragma("synchronous = FULL"); // nobody is served any more
    if (log?.isBroken === true)
      this.#failAll(
        this.#waiting.splice(0),
        this.#health.unconfirmed(new Error("the disk has not confirmed earlier writes")),
      );
    this.#log = null;
    if (this.#waiting.length > 0) this.#commitTogether(this.#waiting.splice(0), this.#raw);
    if (this.state === "ok") {
      if (this.#hasServed) markClean(this.#raw);
      this.#raw.pragma("wal_checkpoint(TRUNCATE)");
    }
    this.#close();
  }

  /** The SQLite handle, for prepared statements and reads. @throws Problem `unavailable` before start and after stop */
  get raw(): SqliteDatabase.Database {
    if (this.#raw === null) throw new Problem("unavailable", { code: "unavailable.databaseClosed" });
    return this.#raw;
  }

  get state(): StorageState {
    return this.#health.state;
  }

  /** Why `state` is not `ok`, in SQLite's words; null while it is. */
  get stateReason(): string | null {
    return this.#health.reason;
  }

  /** How long the disk has been silent, ms; 0 while nothing waits for it. */
  get silentMs(): number {
    return this.#log?.silentMs ?? 0;
  }

  /** Whether the hub works on a copy in memory because the file could not be used at the start. */
  get isFallback(): boolean {
    return this.#isStandIn;
  }

  /** Rows that could not be read at this start or lately, newest first. */
  get badRows(): readonly BadRow[] {
    return this.#badRows;
  }

  /** Keeps what could not be read of a row and reports it; called inside the job that deletes or repairs the row. */
  setAside({ content, ...row }: UnreadableRow): void {
    const at = this.#options.clock.now();
    keepAside(this.raw, { content, ...row }, at);
    this.committed(() => {
      this.#badRows = rowsSetAside(this.raw, at);
      this.#options.logger.warn({ row }, "a row that could not be read was set aside");
    });
  }

  /** Notes that a complete read found the file damaged: it takes no more writes. */
  foundDamaged(reason: string): void {
    this.#health.failed(corrupt(reason));
  }

  /** Bytes that deleted rows have left in the file and new ones will take before it grows again. */
  get reusableBytes(): number {
    return (
      Number(this.raw.pragma("freelist_count", { simple: true })) *
      Number(this.raw.pragma("page_size", { simple: true }))
    );
  }

  /**
   * Whether a job runs now. What earlier jobs of its group have done is in the rows only: memory follows at the commit.
   */
  get isInJob(): boolean {
    return this.#raw?.inTransaction === true;
  }

  /** Commits and jobs since start, and jobs waiting now. */
  get figures(): { commits: number; jobs: number; waiting: number } {
    return { commits: this.#commits, jobs: this.#jobs, waiting: this.#waiting.length };
  }

  /**
   * Runs `job` inside the next group commit and resolves with its result once that is on disk. A job is synchronous,
   * works through prepared statements on this database and must not have effects elsewhere: if it throws, its own
   * changes are rolled back and the others of the group stay. `patient`: no person waits for it, so it may wait for
   * other jobs while the card is being spared ({@link Database.patienceMs}); `large`: it gets a separate commit.
   * @throws the job's own error; Problem `storage_full` or `unavailable` when the commit was impossible
   */
  write<Result>(job: () => Result, haste: "patient" | "prompt" | "large" = "prompt"): Promise<Result> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise<Result>((resolve, reject) => {
      // the job's own result comes back
      this.#waiting.push({ run: job, resolve: resolve as (value: unknown) => void, reject });
      if (haste === "large") this.#commitTimer.atOnce();
      else if (haste === "prompt") this.#commitTimer.after(0);
      else if (this.#log?.isSyncing === true)
        this.#isDeferred = true; // until that ends, another commit would only write the same pages again
      else this.#commitTimer.after(this.#commitDelayMs);
    });
  }

  /** Like {@link Database.write}, but returns null where the storage takes no writes. @throws what the job threw */
  async writeIfPossible<Result>(job: () => Result): Promise<Result | null> {
    try {
      return await this.write(job);
    } catch (error) {
      if (
        this.state !== "ok" &&
        error instanceof Problem &&
        (error.code === "storage_full" || error.code === "unavailable")
      )
        return null;
      throw error;
    }
  }

  /** Notes that room was made on a full disk: the next write is tried at once. */
  roomMade(): void {
    this.#health.tryNow();
  }

  /**
   * How long patient writes wait for others to share a commit with, in ms. A commit costs the card far more than its
   * content does.
   */
  get patienceMs(): number {
    return this.#commitDelayMs;
  }

  set patienceMs(patience: number) {
    this.#commitDelayMs = patience;
  }

  /**
   * A position in the order of commits: after reading the database or receiving an announcement, no later one is
   * needed.
   */
  get position(): number {
    return this.#log?.position ?? 0;
  }

  /**
   * Resolves when everything committed up to `position` (default: now) is on the medium.
   * @throws Problem `unavailable`
   */
  async durable(position = this.position): Promise<void> {
    try {
      await this.#log?.reached(position);
    } catch (error) {
      throw unconfirmed(error);
    }
  }

  /** Runs `job` at once in its own transaction, blocking until it is on disk: for start-up and the command line. */
  writeNow<Result>(job: () => Result): Result {
    this.#flush();
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    let result: Result;
    try {
      this.raw.pragma("synchronous = FULL");
      result = this.raw.transaction(job).immediate();
      const trouble = this.#place?.look() ?? null;
      if (trouble !== null) throw this.#health.misplaced(trouble);
    } catch (error) {
      this.#afterCommit = [];
      this.#health.failed(error);
      throw this.#health.asProblem(asConflict(error));
    } finally {
      if (this.#log !== null) this.raw.pragma("synchronous = NORMAL");
    }
    announce(this.#afterCommit.splice(0), this.#options.logger);
    return result;
  }

  /**
   * Call inside a job: runs `task` once the group is committed and visible to all readers, before the job's promise
   * resolves; not at all if the job or the group fails. The place for announcements on the bus. A power cut may still
   * undo the group, and with it everything recorded because of it; irreversible actions wait for {@link
   * Database.durable}.
   */
  committed(task: () => void): void {
    this.#afterCommit.push(task);
  }

  /** Commits are possible, or worthwhile, again: resumes waiting jobs. */
  #goOn(): void {
    if (this.#log?.isHeld === true) return;
    if (this.#isDeferred) this.#commitTimer.after(this.#commitDelayMs);
    else if (this.#waiting.length > 0 && !this.#commitTimer.isSet) this.#commitTimer.after(0);
    this.#isDeferred = false;
  }

  #flush(): void {
    this.#commitTimer.cancel();
    if (this.#waiting.length === 0 || this.#raw === null || this.#isStopping || this.#log?.isHeld === true) return;
    if (this.#log?.isBroken === true) {
      void this.#retry(this.#log);
      return;
    }
    this.#commitTogether(this.#waiting.splice(0), this.#raw);
    this.#commitTimer.committed();
  }

  /** Nothing is committed on top of unconfirmed commits. */
  async #retry(log: DurableLog): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    try {
      await log.retry();
      this.#health.worked();
      this.#commitTimer.after(0);
    } catch (error) {
      this.#failAll(this.#waiting.splice(0), this.#health.unconfirmed(error));
    } finally {
      this.#isRetrying = false;
    }
  }

  #commitTogether(jobs: readonly Job[], raw: SqliteDatabase.Database): void {
    let settle: () => void;
    try {
      settle = runGroup(jobs, { raw, isOfFile: (error) => this.#isOfFile(error), announcements: this.#afterCommit });
      const trouble = this.#place?.look() ?? null; // writes to a lost file are not acknowledged
      if (trouble !== null) throw this.#health.misplaced(trouble);
      this.#commits += 1;
      this.#jobs += jobs.length;
      this.#health.worked();
    } catch (error) {
      if (raw.inTransaction) raw.prepare("ROLLBACK").run();
      this.#afterCommit = [];
      this.#failAll(jobs, error);
      return;
    }
    if (this.#log === null && !this.#isStopping) this.#openLog(); // the file took no writes at the start
    const stored = this.#log?.committed();
    announce(this.#afterCommit.splice(0), this.#options.logger);
    if (stored === undefined) {
      settle();
      return;
    }
    this.#unconfirmed += jobs.length;
    const settled = stored.then(settle, (error) => this.#failAll(jobs, this.#health.unconfirmed(error)));
    void settled.then(() => {
      this.#unconfirmed -= jobs.length;
    });
  }

  #failAll(jobs: readonly Job[], error: unknown): void {
    this.#health.failed(error);
    const problem = this.#health.asProblem(error);
    for (const job of jobs) job.reject(problem);
  }

  #refusal(): Problem | null {
    if (this.#raw === null || this.#isStopping) return stopping();
    const refusal = this.#health.refusal(!this.#isStandIn);
    if (refusal !== null) return refusal;
    if (this.#waiting.length + this.#unconfirmed >= MAX_WAITING_JOBS) return writesWait();
    return null;
  }

  /** Whether an error concerns the file; a database in memory has none. */
  #isOfFile(error: unknown): boolean {
    return this.#raw?.memory !== true && stateAfter(error, this.#options.file) !== null;
  }
}
