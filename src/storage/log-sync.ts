/** What {@link LogSync} works with. */
export interface LogSyncOptions {
  /** Resolves when everything written to the log so far is on the medium. */
  readonly sync: () => Promise<void>;
  /**
   * After a failed sync: makes sure in another way that everything committed is on the medium. @throws when it is not
   */
  readonly repair: (failure: unknown) => Promise<void>;
  /** A sync has ended, whatever came of it. */
  readonly ended: () => void;
}

interface Waiting {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Knows how much of what was committed is on the medium. One sync runs at a time; what is committed meanwhile is
 * covered by the next. After a sync that failed nothing counts as stored until {@link LogSyncOptions.repair} has
 * succeeded: the system forgets what it could not write, and a second sync would succeed without it.
 */
export class LogSync {
  readonly #options: LogSyncOptions;
  #committed = 0;
  #durable = 0;
  #waiting: Waiting[] = [];
  #isRunning = false;
  #isSyncing = false;
  #isBroken = false;

  constructor(options: LogSyncOptions) {
    this.#options = options;
  }

  /** Groups committed so far: whoever has seen a row in the database needs no more than this. */
  get position(): number {
    return this.#committed;
  }

  /** Whether a sync is under way; `ended` is called when it is not any more. */
  get isSyncing(): boolean {
    return this.#isSyncing;
  }

  /**
   * Whether it is not known what is on the medium: nothing may be committed before {@link LogSync.retry} has succeeded.
   */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** A group was committed; its sync begins now, or when the one under way has ended. Answers its position. */
  committed(): number {
    this.#committed += 1;
    void this.#run();
    return this.#committed;
  }

  /** Resolves when everything up to a position is on the medium. @throws what the system said, where it is not */
  reached(position: number): Promise<void> {
    if (position <= this.#durable) return Promise.resolve();
    if (this.#isBroken) return Promise.reject(new Error("the disk has not confirmed earlier writes"));
    return new Promise((resolve, reject) => this.#waiting.push({ position, resolve, reject }));
  }

  /** After a failure: tries again to bring everything to the medium. @throws when it still is not */
  async retry(): Promise<void> {
    if (!this.#isBroken) return;
    await this.#options.repair(null);
    this.#isBroken = false;
    this.#durable = this.#committed;
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#durable < this.#committed && !this.#isBroken) await this.#once();
    } finally {
      this.#isRunning = false;
    }
  }

  async #once(): Promise<void> {
    const { sync, repair, ended } = this.#options;
    let covered = this.#committed;
    this.#isSyncing = true;
    try {
      await sync().catch(async (failure: unknown) => {
        await repair(failure);
        covered = this.#committed; // nothing is committed while it is repaired
      });
      this.#durable = covered;
    } catch (error) {
      this.#isBroken = true;
      const lost = this.#waiting;
      this.#waiting = [];
      for (const { reject } of lost) reject(error);
    }
    this.#isSyncing = false;
    const done = this.#waiting.filter(({ position }) => position <= this.#durable);
    this.#waiting = this.#waiting.filter(({ position }) => position > this.#durable);
    for (const { resolve } of done) resolve();
    ended();
  }
}
