import type { Clock, Timer } from "../../src/kernel/clock.js";

interface Pending {
  dueMono: number;
  readonly periodMs: number | null;
  readonly task: () => void;
}

/** A clock that stands still until told; wall time can jump apart from monotonic time. */
export class FakeClock implements Clock {
  #wall: number;
  #mono = 1_000;
  readonly #pending = new Set<Pending>();

  constructor(startWallMs = Date.parse("2026-03-01T12:00:00Z")) {
    this.#wall = startWallMs;
  }

  /** Whole milliseconds, as of the real one, also while something runs that was due between two. */
  now(): number {
    return Math.round(this.#wall);
  }

  certain(): number {
    return this.now();
  }

  mono(): number {
    return this.#mono;
  }

  after(delayMs: number, task: () => void): Timer {
    return this.#add({ dueMono: this.#mono + Math.max(0, delayMs), periodMs: null, task });
  }

  every(periodMs: number, task: () => void): Timer {
    return this.#add({ dueMono: this.#mono + periodMs, periodMs, task });
  }

  /** Timers that run: after a stop, none. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Lets `ms` pass on both clocks and runs what becomes due, in order. */
  advance(ms: number): void {
    const end = this.#mono + ms;
    for (let next = this.#next(end); next !== null; next = this.#next(end)) {
      const step = Math.max(0, next.dueMono - this.#mono);
      this.#mono += step;
      this.#wall += step;
      if (next.periodMs === null) this.#pending.delete(next);
      else next.dueMono += next.periodMs;
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

  #add(entry: Pending): Timer {
    this.#pending.add(entry);
    return { stop: () => this.#pending.delete(entry) };
  }

  #next(endMono: number): Pending | null {
    let next: Pending | null = null;
    for (const entry of this.#pending)
      if (entry.dueMono <= endMono && (next === null || entry.dueMono < next.dueMono)) next = entry;
    return next;
  }
}
