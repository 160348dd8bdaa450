/** What {@link LogSync} works with. */
export interface LogSyncOptions {
  /** Resolves when everything written to the log so far is on the medium. */
  readonly sync: () => Promise<void>;
  /**
   * Called after a failed sync: makes sure otherwise that everything committed is on the medium. @throws when it is not
   */
  readonly repair: (failure: unknown) => Promise<void>;
  /** Called when a sync has ended, successfully or not. */
  readonly ended: () => void;
}

interface Waiting {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Knows which commits are on the medium. One sync runs at a time; commits meanwhile are covered by the next. After a
 * failed sync nothing counts as stored until {@link LogSyncOptions.repair} has succeeded: the system discards pages it
 * could not write, and a second sync would succeed without it.
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

  /** Groups committed so far: a row that can be read now was committed no later than this. */
  get position(): number {
    return this.#committed;
  }

  /** Whether a sync is under way; `ended` is called when it no longer is. */
  get isSyncing(): boolean {
    return this.#isSyncing;
  }

  /** Whether it is unknown what is on the medium: nothing may be committed until {@link LogSync.retry} succeeds. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Counts a committed group; its sync begins now, or when the one under way has ended. Returns its position. */
  committed(): number {
    this.#committed += 1;
    void this.#run();
    return this.#committed;
  }

  /** Resolves when everything up to `position` is on the medium. @throws the system's error */
  reached(position: number): Promise<void> {
    if (position <= this.#durable) return Promise.resolve();
    if (this.#isBroken) return Promise.reject(new Error("the disk has not confirmed earlier writes"));
    return new Promise((resolve, reject) => this.#waiting.push({ position, resolve, reject }));
  }

  /** After a failure: tries again to bring everything to the medium. @throws when that still fails */
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
        covered = this.#committed; // nothing is committed while it is being repaired
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
