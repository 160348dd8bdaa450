import type { Clock } from "../../core/kernel/clock.ts";

const WINDOW_MS = 60_000;

/** Notices runaway rules: more runs in any 60 seconds than the limit. */
export class RateGuard {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #runs = new Map<number, number[]>();

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts one more run of a rule; false when it is one too many: then counting starts over. */
  allows(ruleId: number): boolean {
    const now = this.#clock.mono();
    const recent = (this.#runs.get(ruleId) ?? []).filter((at) => now - at < WINDOW_MS);
    if (recent.length >= this.#limit) {
      this.#runs.delete(ruleId);
      return false;
    }
    recent.push(now);
    this.#runs.set(ruleId, recent);
    return true;
  }

  /** Forgets a rule. */
  forget(ruleId: number): void {
    this.#runs.delete(ruleId);
  }
}
