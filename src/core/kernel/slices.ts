import { setImmediate } from "node:timers/promises";

/** Longest that one piece of long work may block the event loop, milliseconds; an indivisible piece may exceed it. */
const SLICE_MS = 4;

/** Cuts a long work into pieces with everything else served in between, however fast the machine is. */
export class Slices {
  #begunAt = performance.now();

  /**
   * Call between two small steps: returns at once, or in a later turn of the event loop when this turn has had its
   * share.
   */
  async next(): Promise<void> {
    if (performance.now() - this.#begunAt < SLICE_MS) return;
    await setImmediate();
    this.#begunAt = performance.now();
  }

  /** Whether {@link next} would wait now; asking costs less than waiting for nothing. */
  get isDue(): boolean {
    return performance.now() - this.#begunAt >= SLICE_MS;
  }
}
