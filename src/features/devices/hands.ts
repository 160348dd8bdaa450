import type { Clock } from "../../core/kernel/clock.ts";

/** How long after a command what its device reports may come of it: a gate or a shutter takes a while to move. */
const COMES_WITHIN_MS = 60_000;
/** Devices that are remembered before those whose time is over are forgotten. */
const MANY = 256;

interface Touched {
  readonly untilMono: number;
  /** What came of it opens nothing until then. */
  readonly boundUntilMono: number;
}

/**
 * Knows which devices the hub has just commanded. What such a device reports, in however many messages, is nobody who
 * stands at it; and if the command came of somebody who may not open everything now, or of a rule that may open nothing,
 * it opens nothing.
 */
export class Hands {
  readonly #clock: Pick<Clock, "mono">;
  readonly #touched = new Map<string, Touched>();

  constructor(clock: Pick<Clock, "mono">) {
    this.#clock = clock;
  }

  /**
   * Notes a command that leaves, waits for its device for `waitsMs`, or has reached it.
   * @param isBound whether what comes of it opens nothing
   */
  commanded(deviceId: string, isBound: boolean, waitsMs = 0): void {
    const now = this.#clock.mono();
    const until = now + waitsMs + COMES_WITHIN_MS;
    const { untilMono = 0, boundUntilMono = 0 } = this.#touched.get(deviceId) ?? {};
    if (this.#touched.size >= MANY)
      for (const [id, touched] of this.#touched) if (touched.untilMono < now) this.#touched.delete(id);
    this.#touched.set(deviceId, {
      untilMono: Math.max(untilMono, until),
      boundUntilMono: isBound ? Math.max(boundUntilMono, until) : boundUntilMono,
    });
  }

  /** Whether what the device reports now may come of a command. */
  isCommanded(deviceId: string): boolean {
    return this.#clock.mono() <= (this.#touched.get(deviceId)?.untilMono ?? Number.NEGATIVE_INFINITY);
  }

  /** Whether what the device reports now opens nothing. */
  isBound(deviceId: string): boolean {
    return this.#clock.mono() <= (this.#touched.get(deviceId)?.boundUntilMono || Number.NEGATIVE_INFINITY);
  }
}
