import { systemClock, TimedClock, type Timer } from "../../src/core/kernel/clock.ts";

/** How often timers are checked, ms. */
const LOOK_MS = 5;

/**
 * The machine's own time at another pace: waits, including those already begun, end `pace` times as fast. The wall
 * clock keeps its own pace and is `aheadMs` ahead. Sped up only once a hub is running: its limits of requests and
 * connections run equally fast.
 */
export class PacedClock extends TimedClock {
  aheadMs = 0;
  #pace = 1;
  #since = { real: systemClock.mono(), mono: systemClock.mono() };

  set pace(pace: number) {
    this.#since = { mono: this.mono(), real: systemClock.mono() };
    this.#pace = pace;
  }

  now(): number {
    return systemClock.now() + this.aheadMs;
  }

  certain(): number {
    return systemClock.certain() + this.aheadMs;
  }

  mono(): number {
    return this.#since.mono + (systemClock.mono() - this.#since.real) * this.#pace;
  }

  protected wake(ms: number, task: () => void): Timer {
    const due = this.mono() + ms;
    const timer = systemClock.every(LOOK_MS, () => {
      if (this.mono() < due) return;
      timer.stop();
      task();
    });
    return timer;
  }
}
