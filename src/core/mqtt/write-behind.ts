import type { Clock, Timer } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import type { Database } from "../storage/database.ts";

const RETRY_MS = 5_000;

/**
 * Writes the present state of changed rows some time after the change, each row once, however often it changed
 * meanwhile. A full disk keeps the changes waiting; memory is authoritative until the disk takes them.
 */
export class WriteBehind {
  readonly #options: ConstructorParameters<typeof WriteBehind>[0];
  #dirty = new Map<string, () => void>();
  /** The write whose job has not run yet: it takes along what is marked until then. */
  #queued: Promise<void> | null = null;
  /** The latest write; what its job wrote may not be on the medium yet. */
  #latest: Promise<void> = Promise.resolve();
  #timer: Timer | null = null;
  #failing = false;

  constructor(options: {
    readonly database: Pick<Database, "write">;
    /** How long a change may wait for others, ms; a change undone within it is never written. */
    readonly delayMs: number;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Rows that are not on disk yet. */
  get waiting(): number {
    return this.#dirty.size;
  }

  /** Whether the last attempt to write failed. */
  get failing(): boolean {
    return this.#failing;
  }

  /** Notes that the row `key` changed; `apply` later writes (or deletes) it as it is then, inside a write job. */
  mark(key: string, apply: () => void): void {
    this.#dirty.set(key, apply);
    if (this.#queued === null && this.#timer === null) this.#arm(this.#failing ? RETRY_MS : this.#options.delayMs);
  }

  /** Forgets a change that was undone before it was written. */
  forget(key: string): void {
    this.#dirty.delete(key);
  }

  /**
   * Resolves when every change so far is on disk.
   * @throws Problem `storage_full` or `unavailable`; the changes stay waiting.
   */
  async flush(): Promise<void> {
    this.#timer?.stop();
    this.#timer = null;
    if (this.#queued !== null) return this.#queued;
    if (this.#dirty.size === 0) return this.#latest;
    this.#queued = this.#write();
    this.#latest = this.#queued;
    this.#latest.catch(() => {}); // its waiters receive the error
    await this.#latest;
  }

  /** Like {@link flush}, but a disk that cannot write is only logged: the broker continues from memory. */
  async settle(): Promise<void> {
    try {
      await this.flush();
    } catch {
      // logged by #write; the rows wait for the next attempt
    }
  }

  async #write(): Promise<void> {
    let batch = new Map<string, () => void>();
    try {
      await this.#options.database.write(() => {
        batch = this.#dirty; // taken when the job runs, so that it carries all that was marked until then
        this.#dirty = new Map();
        this.#queued = null;
        for (const apply of batch.values()) apply();
      });
      if (this.#failing) this.#options.logger.info({}, "broker state can be stored again");
      this.#failing = false;
    } catch (error) {
      this.#queued = null;
      if (!this.#failing)
        this.#options.logger.error(
          { err: error, rows: batch.size + this.#dirty.size },
          "broker state cannot be stored",
        );
      this.#failing = true;
      // Only the disk may recover; rows that SQLite rejects for themselves would be rejected forever.
      if (error instanceof Problem)
        for (const [key, apply] of batch) if (!this.#dirty.has(key)) this.#dirty.set(key, apply);
      if (this.#dirty.size > 0 && this.#timer === null) this.#arm(RETRY_MS);
      throw error;
    }
  }

  #arm(delayMs: number): void {
    this.#timer = this.#options.clock.after(delayMs, () => {
      this.#timer = null;
      void this.settle();
    });
  }
}
