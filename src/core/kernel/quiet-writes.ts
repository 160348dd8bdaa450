import type { Clock, Timer } from "./clock.ts";

/**
 * How often data that nobody was promised is written to disk: last-seen times, measured values in a state, counters,
 * samples of a source that reports again anyway. A power cut loses at most this much of them.
 */
export const QUIET_WRITE_MS = 300_000;

/**
 * One timer for all that is written every {@link QUIET_WRITE_MS}: what its tasks hand to the database in one turn is one
 * commit. A commit costs a flash card whole pages, however little is in it.
 */
export class QuietWrites {
  readonly #clock: Pick<Clock, "every">;
  readonly #tasks = new Set<{ readonly run: () => void }>();
  #timer: Timer | null = null;

  constructor(clock: Pick<Clock, "every">) {
    this.#clock = clock;
  }

  /** Runs `run` with the others, until it is stopped. */
  add(run: () => void): Timer {
    const task = { run };
    this.#tasks.add(task);
    this.#timer ??= this.#clock.every(QUIET_WRITE_MS, () => {
      for (const each of [...this.#tasks]) each.run();
    });
    return { stop: () => this.#remove(task) };
  }

  #remove(task: { readonly run: () => void }): void {
    this.#tasks.delete(task);
    if (this.#tasks.size > 0) return;
    this.#timer?.stop();
    this.#timer = null;
  }
}
