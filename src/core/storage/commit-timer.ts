import { SystemClock, type Timer } from "../kernel/clock.ts";
import type { DiskTurns } from "../kernel/disk-turns.ts";

/** How often to check whether a thread that waits for the disk still does. */
const TURN_LOOK_MS = 2;
/** Pacing the disk has nothing to do with product time, and a waiting write must keep the process alive. */
const clock = new SystemClock({ keepsProcess: true });

/**
 * When the next group commit is due. Commits keep a distance (`storage.commitIntervalMs`); the first after a quiet time
 * comes at once.
 */
export class CommitTimer {
  readonly #leastMs: number;
  readonly #commit: () => void;
  #turns: DiskTurns | null = null;
  #timer: Timer | null = null;
  /** When the next commit is due, by {@link clock}; null: none is. */
  #dueMono: number | null = null;
  #lastMono = Number.NEGATIVE_INFINITY;

  /** Calls `commit` when one is due, at least `leastMs` after the last one. */
  constructor(leastMs: number, commit: () => void) {
    this.#leastMs = leastMs;
    this.#commit = commit;
  }

  /** From now on, no commit is made while a thread waits for the disk. */
  shareDisk(turns: DiskTurns): void {
    this.#turns = turns;
  }

  get isSet(): boolean {
    return this.#dueMono !== null;
  }

  /** Schedules a commit `delayMs` after the last one, and no earlier than the usual interval. */
  after(delayMs: number): void {
    this.#set(this.#lastMono + Math.max(this.#leastMs, delayMs));
  }

  /** Schedules a commit for the next turn of the event loop. */
  atOnce(): void {
    this.#set(clock.mono());
  }

  cancel(): void {
    this.#timer?.stop();
    this.#timer = null;
    this.#dueMono = null;
  }

  /** Notes that a commit was made just now. */
  committed(): void {
    this.#lastMono = clock.mono();
    this.#turns?.done();
  }

  #fire(): void {
    if (this.#dueMono === null) return; // another caller has committed meanwhile
    if (this.#turns?.isTaken() === true) {
      this.#timer = clock.after(TURN_LOOK_MS, () => this.#fire());
    } else this.#commit();
  }

  #set(at: number): void {
    if (this.#dueMono !== null && this.#dueMono <= at) return;
    this.cancel();
    this.#dueMono = at;
    if (at <= clock.mono()) setImmediate(() => this.#fire());
    else this.#timer = clock.at(at, () => this.#fire());
  }
}
