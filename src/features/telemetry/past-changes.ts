import { QUARTER_MS } from "./rules/energy.ts";

/**
 * Notices when a device's history changes before the quarter hour of its newest sample: results computed from it are
 * then out of date. Identifies devices by their number in the tables.
 */
export class PastChanges {
  /** Quarter hours since the epoch. */
  readonly #newest = new Map<number, number>();
  readonly #late = new Map<number, number>();
  #all = 0;

  /**
   * Notes a sample of the device at the moment `at` (epoch ms). The first one after a start may be late: earlier ones
   * are not remembered.
   */
  arrived(ref: number, at: number): void {
    const quarter = Math.floor(at / QUARTER_MS);
    const newest = this.#newest.get(ref);
    if (newest === undefined || quarter < newest) this.#late.set(ref, (this.#late.get(ref) ?? 0) + 1);
    if (newest === undefined || quarter > newest) this.#newest.set(ref, quarter);
  }

  /** Notes that any device's history was removed or moved to other times. */
  rewritten(): void {
    this.#all += 1;
    this.#newest.clear();
  }

  /** A number that changes with each such event. */
  of(ref: number): number {
    return this.#all + (this.#late.get(ref) ?? 0);
  }
}
