import type { Clock } from "../kernel/clock.js";

/** {@link Patience} */
export interface PatienceOptions {
  /** The first wait, milliseconds. */
  readonly firstMs: number;
  /** Things that are known at a time; what would be one more waits until another is forgotten. */
  readonly most: number;
}

const LONGEST_MS = 3_600_000;
/** What was due for so long and not tried is forgotten: its next wait is the first one. */
const FORGET_MS = 600_000;

/**
 * Things that are tried again and again for as long as they do not succeed: each wait is twice as long as the one
 * before, an hour at most.
 */
export class Patience<Thing> {
  readonly #clock: Clock;
  readonly #options: PatienceOptions;
  /** In the order in which they were tried last. */
  readonly #waits = new Map<Thing, { readonly ms: number; readonly until: number }>();

  constructor(clock: Clock, options: PatienceOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Whether it was tried, and not so long ago that it is forgotten. */
  knows(thing: Thing): boolean {
    const wait = this.#waits.get(thing);
    return wait !== undefined && this.#clock.mono() < wait.until + FORGET_MS;
  }

  /** Whether it may be tried (once more). */
  isDue(thing: Thing): boolean {
    const wait = this.#waits.get(thing);
    if (wait !== undefined) return this.#clock.mono() >= wait.until;
    this.#forgetOld();
    return this.#waits.size < this.#options.most;
  }

  /** It is tried now. */
  tried(thing: Thing): void {
    const wait = this.knows(thing) ? this.#waits.get(thing) : undefined;
    const ms = wait === undefined ? this.#options.firstMs : Math.min(LONGEST_MS, wait.ms * 2);
    this.#waits.delete(thing);
    this.#forgetOld();
    for (const oldest of this.#waits.keys()) {
      if (this.#waits.size < this.#options.most) break;
      this.#waits.delete(oldest);
    }
    this.#waits.set(thing, { ms, until: this.#clock.mono() + ms });
  }

  #forgetOld(): void {
    if (this.#waits.size < this.#options.most) return;
    for (const thing of this.#waits.keys()) if (!this.knows(thing)) this.#waits.delete(thing);
  }
}
