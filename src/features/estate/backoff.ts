import type { Clock } from "../../core/kernel/clock.ts";

/** Options of {@link Backoff}. */
export interface BackoffOptions {
  /** The first wait, milliseconds. */
  readonly firstMs: number;
  /** Most things known at once; a further one waits until another is forgotten. */
  readonly most: number;
}

const LONGEST_MS = 3_600_000;
/** An entry that was due for this long and not tried is forgotten: its next wait is the first one again. */
const FORGET_MS = 600_000;

/** Things that are retried until they succeed: each wait is twice as long as the last, at most an hour. */
export class Backoff<Thing> {
  readonly #clock: Clock;
  readonly #options: BackoffOptions;
  /** In the order in which they were last tried. */
  readonly #waits = new Map<Thing, { readonly ms: number; readonly until: number }>();

  constructor(clock: Clock, options: BackoffOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Whether it was tried, not so long ago that it is forgotten. */
  knows(thing: Thing): boolean {
    const wait = this.#waits.get(thing);
    return wait !== undefined && this.#clock.mono() < wait.until + FORGET_MS;
  }

  /** Whether it may be tried (again). */
  isDue(thing: Thing): boolean {
    const wait = this.#waits.get(thing);
    if (wait !== undefined) return this.#clock.mono() >= wait.until;
    this.#forgetOld();
    return this.#waits.size < this.#options.most;
  }

  /** Notes that it is being tried now. */
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
