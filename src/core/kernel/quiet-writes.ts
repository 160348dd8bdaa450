import type { Clock, Timer } from "./clock.ts";

/**
 * How often unacknowledged data is written to disk, ms: last-seen times, measured values in the states of devices of
 * other makes (`DeviceState.measured`), their energy counters, samples of Matter devices, which report again anyway. It
 * is visible at once. A power cut loses at most this much of it, a stop nothing. If a webhook subscribes to states or
 * samples they are written as they arrive, because a delivery is a row.
 */
export const QUIET_WRITE_MS = 300_000;

/**
 * One timer for all that is written every {@link QUIET_WRITE_MS}: what its tasks hand to the database in one turn is
 * one commit. A commit costs a flash card whole pages, however little is in it.
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
