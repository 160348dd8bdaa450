import type { Clock } from "../../core/kernel/clock.ts";

/** The latest picture of a camera. */
export interface LatestFrame {
  readonly jpeg: Uint8Array;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Monotonic time of the same moment. */
  readonly mono: number;
}

/** Cameras whose picture is held; the one that has been silent longest goes first. */
const MOST_CAMERAS = 64;

/** The latest picture of each camera, in memory only: what a person sees who looks at the gate now. */
export class LatestFrames {
  readonly #clock: Clock;
  readonly #frames = new Map<string, LatestFrame>();
  readonly #waiting = new Map<string, Set<(frame: LatestFrame) => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes in a picture. */
  note(deviceId: string, jpeg: Uint8Array): void {
    const frame = { jpeg, at: this.#clock.now(), mono: this.#clock.mono() };
    this.#frames.delete(deviceId);
    this.#frames.set(deviceId, frame);
    const [oldest] = this.#frames.keys();
    if (this.#frames.size > MOST_CAMERAS && oldest !== undefined) this.#frames.delete(oldest);
    for (const tell of this.#waiting.get(deviceId) ?? []) tell(frame);
  }

  /** The latest picture; null before the first. */
  get(deviceId: string): LatestFrame | null {
    return this.#frames.get(deviceId) ?? null;
  }

  /** The next picture, or null when none comes within `waitMs`. */
  next(deviceId: string, waitMs: number): Promise<LatestFrame | null> {
    return new Promise((resolve) => {
      const listeners = this.#waiting.get(deviceId) ?? new Set();
      this.#waiting.set(deviceId, listeners);
      const end = (frame: LatestFrame | null): void => {
        timer.stop();
        listeners.delete(end);
        if (listeners.size === 0) this.#waiting.delete(deviceId);
        resolve(frame);
      };
      const timer = this.#clock.after(waitMs, () => end(null));
      listeners.add(end);
    });
  }

  /** Drops a camera's picture, when the camera is removed or looks elsewhere. */
  forget(deviceId: string): void {
    this.#frames.delete(deviceId);
  }
}
