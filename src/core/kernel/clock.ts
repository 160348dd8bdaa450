/** A timer that can be stopped; stopping twice is harmless. */
export interface Timer {
  stop(): void;
}

/**
 * The clocks of the hub. Wall time answers "when", monotonic time answers "how long": a host without a clock battery
 * may see wall time jump at any moment. Certain time answers "is it old enough to be deleted, or to end?".
 */
export interface Clock {
  /** Wall time, whole milliseconds since the Unix epoch. */
  now(): number;
  /**
   * The latest moment (whole milliseconds since the Unix epoch) that has certainly come: wall time, or an earlier one
   * while a step of the wall clock is unconfirmed. Never later than {@link now}.
   */
  certain(): number;
  /** Whether wall time is unconfirmed: it may be ahead, and {@link certain} earlier, or behind. */
  readonly isDoubted: boolean;
  /** Monotonic time, milliseconds from an arbitrary start; never jumps. */
  mono(): number;
  /** Runs `task` once when {@link mono} has reached `dueMono`, never before. The process may exit meanwhile. */
  at(dueMono: number, task: () => void): Timer;
  /**
   * Runs `task` once when {@link now} has reached `dueAt` (epoch ms), never before. A wall clock that is set forward
   * meanwhile is noticed within a minute. The process may exit meanwhile.
   */
  atWall(dueAt: number, task: () => void): Timer;
  /** Runs `task` once when {@link mono} has advanced by `delayMs`, never before. The process may exit meanwhile. */
  after(delayMs: number, task: () => void): Timer;
  /** Runs `task` every `periodMs` of monotonic time; turns that a busy process missed are left out. */
  every(periodMs: number, task: () => void): Timer;
}

/** How soon a moment of the wall clock is noticed when that clock was set forward, ms. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const WALL_LOOK_MS = 60_000;

/**
 * The only place that waits for a moment. Timers fire early (Node's by up to a millisecond; any does whose clock was
 * set back meanwhile), so that a task which looks at the clock and finds that it is not time yet would have to arm
 * itself again. Here each wake-up looks at the clock, and tasks need not.
 */
export abstract class TimedClock implements Clock {
  abstract now(): number;
  abstract certain(): number;

  get isDoubted(): boolean {
    return false;
  }

  abstract mono(): number;

  /** Calls `task` once after about `ms` of monotonic time; it may be too early by any amount. */
  protected abstract wake(ms: number, task: () => void): Timer;

  at(dueMono: number, task: () => void): Timer {
    return this.#wait(() => dueMono - this.mono(), task);
  }

  atWall(dueAt: number, task: () => void): Timer {
    return this.#wait(() => dueAt - this.now(), task, WALL_LOOK_MS);
  }

  after(delayMs: number, task: () => void): Timer {
    return this.at(this.mono() + delayMs, task);
  }

  every(periodMs: number, task: () => void): Timer {
    let timer: Timer;
    const arm = (dueMono: number): void => {
      timer = this.at(dueMono, () => {
        const nextMono = dueMono + periodMs;
        const mono = this.mono();
        arm(nextMono > mono ? nextMono : mono + periodMs);
        task();
      });
    };
    arm(this.mono() + periodMs);
    return { stop: () => timer.stop() };
  }

  /** Runs `task` once `left` is no longer positive, checked at least every `longestMs`. */
  #wait(left: () => number, task: () => void, longestMs = Number.POSITIVE_INFINITY): Timer {
    let timer: Timer;
    const arm = (ms: number): void => {
      timer = this.wake(Math.min(ms, longestMs), () => {
        const still = left();
        if (still > 0) arm(still);
        else task();
      });
    };
    arm(Math.max(0, left()));
    return { stop: () => timer.stop() };
  }
}

/** Node's setTimeout fires at once for longer delays than this (it keeps them in 32 bits). */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

/** The machine's own clocks. */
export class SystemClock extends TimedClock {
  readonly #keepsProcess: boolean;

  /** `keepsProcess`: whether pending timers keep the process alive; by default they do not. */
  constructor({ keepsProcess = false } = {}) {
    super();
    this.#keepsProcess = keepsProcess;
  }

  now(): number {
    return Date.now();
  }

  certain(): number {
    return Date.now();
  }

  mono(): number {
    return performance.now();
  }

  protected wake(ms: number, task: () => void): Timer {
    // Node drops the fraction of a delay
    const handle = setTimeout(task, Math.min(Math.ceil(ms), LONGEST_TIMEOUT_MS));
    if (!this.#keepsProcess) handle.unref();
    return { stop: () => clearTimeout(handle) };
  }
}

/** The machine's own clocks, for the whole process. */
export const systemClock: Clock = new SystemClock();

/** ISO 8601 in UTC with milliseconds and `Z`, the only time format in answers. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Like {@link isoTime}, passing null through. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}
