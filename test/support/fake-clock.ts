import { TimedClock, type Timer } from "../../src/core/kernel/clock.ts";

interface Pending {
  readonly dueMono: number;
  readonly task: () => void;
}

/** How much too early a wake-up is, ms: nearly the most of Node's timers. A sum of halves keeps sums exact. */
const EARLY_MS = 31 / 32;

/**
 * A clock that stands still until a test advances it; wall time can jump apart from monotonic time. Its wake-ups are
 * early, like Node's.
 */
export class FakeClock extends TimedClock {
  #wall: number;
  #mono = 1_000;
  readonly #pending = new Set<Pending>();

  constructor(startWallMs = Date.parse("2026-03-01T12:00:00Z")) {
    super();
    this.#wall = startWallMs;
  }

  /** Whole milliseconds, like the real one, even while running something that was due between two. */
  now(): number {
    return Math.round(this.#wall);
  }

  certain(): number {
    return this.now();
  }

  mono(): number {
    return this.#mono;
  }

  protected wake(ms: number, task: () => void): Timer {
    const entry = { dueMono: this.#dueMono(ms), task };
    this.#pending.add(entry);
    return { stop: () => this.#pending.delete(entry) };
  }

  /** The rest of a wait after an early wake-up ends with the millisecond: `now` has no fractions. */
  #dueMono(ms: number): number {
    if (ms > 1) return this.#mono + ms - EARLY_MS;
    const due = this.#mono + ms;
    return Number.isInteger(this.#mono) ? due : Math.min(due, Math.ceil(this.#mono));
  }

  /** Running timers: after a stop, none. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Advances both clocks by `ms` and runs what becomes due, in order. */
  advance(ms: number): void {
    const end = this.#mono + ms;
    for (let next = this.#next(end); next !== null; next = this.#next(end)) {
      const step = Math.max(0, next.dueMono - this.#mono);
      this.#mono += step;
      this.#wall += step;
      this.#pending.delete(next);
      next.task();
    }
    this.#wall += end - this.#mono;
    this.#mono = end;
  }

  /** Moves wall time only, as NTP or a person does. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Drops every timer, as the end of the process does. */
  forgetTimers(): void {
    this.#pending.clear();
  }

  #next(endMono: number): Pending | null {
    let next: Pending | null = null;
    for (const entry of this.#pending)
      if (entry.dueMono <= endMono && (next === null || entry.dueMono < next.dueMono)) next = entry;
    return next;
  }
}
