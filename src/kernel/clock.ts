/** A timer that can be stopped; stopping twice is harmless. */
export interface Timer {
  stop(): void;
}

/**
 * The clocks of the hub. Wall time answers "when", monotonic time answers "how long": a box without a clock battery may
 * see wall time jump at any moment. Certain time answers "is it old enough to be deleted, or to end?".
 */
export interface Clock {
  /** Wall time, whole milliseconds since the Unix epoch. */
  now(): number;
  /**
   * The latest moment (whole milliseconds since the Unix epoch) that has certainly come: wall time, or an earlier one
   * while nobody has confirmed a step of the wall clock. Never later than {@link now}.
   */
  certain(): number;
  /** Monotonic time, milliseconds from an arbitrary start; never jumps. */
  mono(): number;
  /**
   * Runs `task` once after `delayMs` of monotonic time. Delays above 2^31-1 ms are honoured. The process may exit
   * meanwhile.
   */
  after(delayMs: number, task: () => void): Timer;
  /** Runs `task` every `periodMs` of monotonic time. The process may exit meanwhile. */
  every(periodMs: number, task: () => void): Timer;
}

/** Node's setTimeout fires at once for longer delays than this (it keeps them in 32 bits). */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  certain: () => Date.now(),
  mono: () => performance.now(),
  after(delayMs, task) {
    let handle: NodeJS.Timeout;
    const arm = (remainingMs: number): void => {
      const step = Math.min(remainingMs, LONGEST_TIMEOUT_MS);
      handle = setTimeout(() => (remainingMs > step ? arm(remainingMs - step) : task()), step);
      handle.unref();
    };
    arm(Math.max(0, delayMs));
    return { stop: () => clearTimeout(handle) };
  },
  every(periodMs, task) {
    const handle = setInterval(task, periodMs);
    handle.unref();
    return { stop: () => clearInterval(handle) };
  },
};

/** ISO 8601 in UTC with milliseconds and `Z`, the only time format in answers. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Like {@link isoTime}, passing null through. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}
