import type { Clock } from "../kernel/clock.ts";

/** Tasks in a row before others of the process get a turn, ms. */
const SLICE_MS = 6;

/**
 * Runs tasks in order, a few milliseconds' worth at a time. When a house comes back after a power cut, hundreds of
 * devices announce themselves at the same moment, and a response to a person must not wait for all of them.
 */
export class TimeSlices {
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];
  #next = 0;
  #isScheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `task` when those before it have run; not before the present turn of the event loop ends. */
  run(task: () => void): void {
    this.#waiting.push(task);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#slice());
  }

  /** Runs everything that waits, now. */
  release(): void {
    while (this.#next < this.#waiting.length) this.#waiting[this.#next++]?.();
    this.#waiting = [];
    this.#next = 0;
  }

  #slice(): void {
    this.#isScheduled = false;
    const end = this.#clock.mono() + SLICE_MS;
    do this.#waiting[this.#next++]?.();
    while (this.#next < this.#waiting.length && this.#clock.mono() < end);
    if (this.#next < this.#waiting.length) {
      this.#isScheduled = true;
      setImmediate(() => this.#slice());
      return;
    }
    this.#waiting = [];
    this.#next = 0;
  }
}
