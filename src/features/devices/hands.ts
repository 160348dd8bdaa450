import type { Clock } from "../../core/kernel/clock.ts";

/** How long after a command what its device reports may come of it: a gate or a shutter takes a while to move. */
const COMES_WITHIN_MS = 60_000;

/**
 * Knows which devices the hub has just commanded. What such a device then reports, in however many messages, is not by
 * a person at the device; and if the command came from somebody who may not open everything now, or from a rule that
 * may open nothing, it opens nothing.
 */
export class Hands {
  readonly #clock: Pick<Clock, "mono">;
  /** Until when what a device reports may come of a command, and of one that opens nothing; monotonic. */
  readonly #commanded = new Map<string, number>();
  readonly #bound = new Map<string, number>();
  #sweptMono: number;

  constructor(clock: Pick<Clock, "mono">) {
    this.#clock = clock;
    this.#sweptMono = clock.mono();
  }

  /**
   * Notes a command that leaves, waits for its device for `waitsMs`, or has reached it.
   * @param isBound whether what it leads to opens nothing
   */
  commanded(deviceId: string, isBound: boolean, waitsMs = 0): void {
    const now = this.#clock.mono();
    this.#sweep(now);
    for (const known of isBound ? [this.#commanded, this.#bound] : [this.#commanded])
      known.set(deviceId, Math.max(known.get(deviceId) ?? now, now + waitsMs + COMES_WITHIN_MS));
  }

  /** Whether what the device reports now may come of a command. */
  isCommanded(deviceId: string): boolean {
    return this.#counts(this.#commanded.get(deviceId));
  }

  /** Whether what the device reports now opens nothing. */
  isBound(deviceId: string): boolean {
    return this.#counts(this.#bound.get(deviceId));
  }

  #counts(untilMono: number | undefined): boolean {
    return untilMono !== undefined && this.#clock.mono() <= untilMono;
  }

  /** Forgets what is over, once in a while. */
  #sweep(now: number): void {
    if (now - this.#sweptMono < COMES_WITHIN_MS) return;
    this.#sweptMono = now;
    for (const known of [this.#commanded, this.#bound])
      for (const [deviceId, untilMono] of known) if (untilMono < now) known.delete(deviceId);
  }
}
