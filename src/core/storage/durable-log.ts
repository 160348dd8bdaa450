/**
 * Durable without waiting. A card may take half a second for an `fsync`; the event loop serves devices meanwhile and
 * never waits for the disk between the end of its start and its stop (`test/e2e/slow-disk.test.ts` records every
 * `fsync` and `fdatasync` with its thread).
 *
 * A commit only goes into the system's cache (WAL, `synchronous = NORMAL`). From then on it is readable, and
 * `database.committed` announces it: rules act on it, the console shows it. Acknowledgements wait: a job's promise, and
 * with it a PUBACK, the answer to a request that writes, or the start of a webhook delivery, resolves when an
 * asynchronous `fdatasync` of the log that began after the commit has ended (log-sync.ts). A write that changes
 * nothing, because it repeats something that is not on the medium yet, waits as well (`database.position`,
 * `database.durable`).
 *
 * A power cut undoes the last commits, never one in the middle: SQLite recovers the longest prefix of the log whose
 * checksums match, and everything acknowledged lies in the part that was synced. Rows recorded because of a lost row
 * follow it in the log, and are lost with it. An irreversible effect is, for example, a lamp that was switched on: its
 * command may have no row, like the gate's, which always leaves before the disk. No outside receiver gets anything
 * before the sync.
 *
 * After a failed sync the system considers unwritten pages written, and the next sync would succeed without them.
 * Nothing is acknowledged or committed until the thread has read the log back to the last committed frame, checked it
 * with SQLite's own checksums, written it again in place and synced it. If that fails too, writers learn that the
 * outcome is unknown, the state is `unwritable`, and each later attempt begins with the same repair. If the data read
 * back differs from what was written, the state is `damaged`. After an unclean stop the start moves the whole log into
 * the database before it relies on it: the earlier run may have had such a failure.
 *
 * A disk that neither confirms nor fails is detected by how long the current wait has lasted. After five seconds health
 * reports it (`storage.silent`). Acknowledgements keep waiting, up to 20,000 jobs; then writers are refused. Reads and
 * commands continue, and the watchdog is still fed: a restarted hub would face the same disk, and open no gate.
 *
 * Why not a writer in a thread? Jobs are closures over the memory of their features, run in one turn of the loop. As
 * messages, each would need a protocol of its own, and reads would no longer see what was just written. Figures of a
 * slow card (`npm run bench -- slow-card`) are in docs/what-was-tested.md.
 */
import type SqliteDatabase from "better-sqlite3";
import type { Logger } from "../kernel/logger.ts";
import { Checkpointer } from "./checkpointer.ts";
import { LogFile } from "./log-file.ts";
import { LogSync } from "./log-sync.ts";

/** A sync that takes longer than this is logged. */
const LATE_MS = 10_000;
/** The second of the columns busy, log, checkpointed. */
const FRAMES_COLUMN = 1;

/** What {@link DurableLog} works with. */
export interface DurableLogOptions {
  readonly raw: SqliteDatabase.Database;
  readonly file: string;
  /** Called when commits may continue, or a sync has ended. */
  readonly free: () => void;
  /** Called when SQLite has found the file damaged. */
  readonly damaged: (error: Error) => void;
  readonly logger: Logger;
}

/**
 * The write-ahead log of the open database, and how much of it is on the medium. Commits only go into the system's
 * cache; waiting for the medium happens here, outside the event loop. The head of this file explains why nothing
 * acknowledged is ever lost.
 */
export class DurableLog {
  readonly #options: DurableLogOptions;
  readonly #file: LogFile;
  readonly #sync: LogSync;
  readonly #checkpoints: Checkpointer;
  readonly #figures: SqliteDatabase.Statement<[], number[]>;
  #holds = 0;
  /** When the current wait for the medium, and the current hold, began, by `performance.now()`; null: none. */
  #syncSinceMono: number | null = null;
  #holdSinceMono: number | null = null;

  /** @throws Error of the system if the database has no log */
  constructor(options: DurableLogOptions) {
    const { raw, file, damaged, free, logger } = options;
    this.#options = options;
    this.#file = new LogFile(file);
    // Only reads the log's length; moves nothing. Read as an array: for an object of a PRAGMA's row the library
    // compiles a function at each call, and this call is made after each commit.
    this.#figures = raw.prepare<[], number[]>("PRAGMA wal_checkpoint(NOOP)").raw();
    this.#checkpoints = new Checkpointer({
      file,
      frames: () => this.#figures.get()?.[FRAMES_COLUMN] ?? 0,
      log: this,
      damaged,
      logger,
    });
    this.#sync = new LogSync({
      sync: () => this.#watched(this.#file.sync()),
      repair: (failure) => this.#repair(failure),
      ended: free,
    });
  }

  /** Whether commits are waiting for the log to start over or to be written again. */
  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** How long the current wait for the medium has lasted, in ms. */
  get silentMs(): number {
    const now = performance.now();
    return Math.max(now - (this.#syncSinceMono ?? now), now - (this.#holdSinceMono ?? now));
  }

  /** Whether the medium is being waited for. */
  get isSyncing(): boolean {
    return this.#sync.isSyncing;
  }

  /** Whether it is unknown what is on the medium; see {@link DurableLog.retry}. */
  get isBroken(): boolean {
    return this.#sync.isBroken;
  }

  /** Groups committed so far. */
  get position(): number {
    return this.#sync.position;
  }

  /**
   * Counts a committed group; returns a promise that resolves when it is on the medium, and rejects with the system's
   * error when that is not known.
   */
  committed(): Promise<void> {
    const stored = this.#sync.reached(this.#sync.committed());
    this.#checkpoints.look();
    return stored;
  }

  /** Resolves when everything committed up to `position` is on the medium. @throws the system's error */
  reached(position: number): Promise<void> {
    return this.#sync.reached(position);
  }

  /** Brings to the medium what a failed sync left in doubt. @throws when that still fails */
  retry(): Promise<void> {
    return this.#sync.retry();
  }

  /** Waits for work in progress, then closes the log. */
  async close(): Promise<void> {
    await this.#sync.reached(this.#sync.position).catch(() => {}); // its waiters have received the error
    await this.#checkpoints.stop();
    this.#file.close();
  }

  /** Logs a disk that hangs: the hub keeps serving, so nothing else would show it. */
  async #watched(sync: Promise<void>): Promise<void> {
    const warn = (): void =>
      this.#options.logger.warn(
        { seconds: LATE_MS / 1000 },
        "the disk has not confirmed what was written; nothing is acknowledged until it does",
      );
    const timer = setTimeout(warn, LATE_MS).unref();
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

  async hold<Answer>(task: () => Promise<Answer>): Promise<Answer> {
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
 * The log of a database whose commits no longer wait for the disk. Null where that is not possible, and for a database
 * in memory: each commit then waits by itself, as before.
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
