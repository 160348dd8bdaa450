import type SqliteDatabase from "better-sqlite3";
import type { Logger } from "../kernel/logger.js";
import { Checkpointer } from "./checkpointer.js";
import { LogFile } from "./log-file.js";
import { LogSync } from "./log-sync.js";

/** A sync that takes longer than this is told. */
const LATE_MS = 10_000;
/** Of busy, log, checkpointed. */
const FRAMES_COLUMN = 1;

/** What {@link DurableLog} works with. */
export interface DurableLogOptions {
  readonly raw: SqliteDatabase.Database;
  readonly file: string;
  /** Commits may go on, or a sync has ended. */
  readonly free: () => void;
  /** SQLite found the file damaged. */
  readonly damaged: (error: Error) => void;
  readonly logger: Logger;
}

/**
 * The write-ahead log of the open database, and how far it is on the medium. Commits go into the system's cache only;
 * here it is waited for the medium, outside the event loop. The argument why nothing acknowledged is lost stands in
 * ARCHITECTURE.md, "Durable without waiting".
 */
export class DurableLog {
  readonly #options: DurableLogOptions;
  readonly #file: LogFile;
  readonly #sync: LogSync;
  readonly #checkpoints: Checkpointer;
  readonly #figures: SqliteDatabase.Statement<[], number[]>;
  #holds = 0;
  /** When the present wait for the medium began, and the present hold, by `performance.now()`; null: there is none. */
  #syncSinceMono: number | null = null;
  #holdSinceMono: number | null = null;

  /** @throws Error of the system when the database has no log */
  constructor(options: DurableLogOptions) {
    const { raw, file, damaged, free, logger } = options;
    this.#options = options;
    this.#file = new LogFile(file);
    // Moves nothing, only says how long the log is. As columns: for an object of a PRAGMA's row the library compiles a
    // function at each call, and this one is made after each commit.
    this.#figures = raw.prepare<[], number[]>("PRAGMA wal_checkpoint(NOOP)").raw();
    this.#checkpoints = new Checkpointer({
      file,
      frames: () => this.#figures.get()?.[FRAMES_COLUMN] ?? 0,
      hold: (task) => this.#hold(task),
      damaged,
      logger,
    });
    this.#sync = new LogSync({
      sync: () => this.#watched(this.#file.sync()),
      repair: (failure) => this.#repair(failure),
      ended: free,
    });
  }

  /** Whether commits wait for the log to begin anew, or to be written again. */
  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** How long the medium has been waited for, ms. */
  get silentMs(): number {
    const now = performance.now();
    return Math.max(now - (this.#syncSinceMono ?? now), now - (this.#holdSinceMono ?? now));
  }

  /** Whether the medium is being waited for. */
  get isSyncing(): boolean {
    return this.#sync.isSyncing;
  }

  /** Whether it is not known what is on the medium; see {@link DurableLog.retry}. */
  get isBroken(): boolean {
    return this.#sync.isBroken;
  }

  /** Groups committed so far. */
  get position(): number {
    return this.#sync.position;
  }

  /**
   * A group was committed; answers a promise that resolves when it is on the medium. It rejects with what the system
   * said when it is not known to be.
   */
  committed(): Promise<void> {
    const stored = this.#sync.reached(this.#sync.committed());
    this.#checkpoints.look();
    return stored;
  }

  /** Resolves when everything committed up to a position is on the medium. @throws what the system said */
  reached(position: number): Promise<void> {
    return this.#sync.reached(position);
  }

  /** Brings to the medium what a failed sync left in doubt. @throws when it still cannot be */
  retry(): Promise<void> {
    return this.#sync.retry();
  }

  /** Waits for what is under way; the log is closed then. */
  async close(): Promise<void> {
    await this.#sync.reached(this.#sync.position).catch(() => {}); // who waits for it was told
    await this.#checkpoints.stop();
    this.#file.close();
  }

  /** Nobody but the log would hear of a disk that stands still: the hub goes on serving. */
  async #watched(sync: Promise<void>): Promise<void> {
    const said = (): void =>
      this.#options.logger.warn(
        { seconds: LATE_MS / 1000 },
        "the disk has not confirmed what was written; nothing is acknowledged until it does",
      );
    const timer = setTimeout(said, LATE_MS).unref();
    const since = performance.now();
    this.#syncSinceMono = since;
    try {
      await sync;
    } finally {
      clearTimeout(timer);
      this.#syncSinceMono = null;
      const ms = performance.now() - since;
      if (ms >= LATE_MS) this.#options.logger.warn({ seconds: Math.round(ms / 1000) }, "the disk answers again");
    }
  }

  async #repair(failure: unknown): Promise<void> {
    const { logger } = this.#options;
    if (failure !== null)
      logger.error(
        { err: failure },
        "the disk did not confirm what was written; it is written again before anything is acknowledged",
      );
    await this.#checkpoints.rewrite();
    logger.warn({}, "what the disk had not confirmed was written again, and it confirmed it");
  }

  async #hold<Answer>(task: () => Promise<Answer>): Promise<Answer> {
    this.#holds += 1;
    this.#holdSinceMono ??= performance.now();
    try {
      return await task();
    } finally {
      this.#holds -= 1;
      if (this.#holds === 0) this.#holdSinceMono = null;
      this.#options.free();
    }
  }
}

/**
 * The log of a database, whose commits do not wait for the disk from now on. Null where that is not possible, and for
 * one in memory: each commit then goes on waiting by itself.
 */
export function openDurableLog(options: DurableLogOptions): DurableLog | null {
  const { raw, logger } = options;
  if (raw.memory) return null;
  try {
    const log = new DurableLog(options);
    raw.pragma("wal_autocheckpoint = 0");
    raw.pragma("synchronous = NORMAL");
    return log;
  } catch (error) {
    logger.warn({ err: error }, "the event loop waits for the disk itself");
    return null;
  }
}
