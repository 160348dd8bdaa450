import type { DiskTurns } from "../kernel/disk-turns.js";

/** While a thread waits for the disk: how often it is looked whether it still does. */
const TURN_LOOK_MS = 2;

/** When the next group commit is due. Commits are kept apart; the first after a quiet time comes at once. */
export class CommitTimer {
  readonly #leastMs: number;
  readonly #commit: () => void;
  #turns: DiskTurns | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** When the next commit is due, by `performance.now()`; null: none is. */
  #dueMono: number | null = null;
  #lastMono = Number.NEGATIVE_INFINITY;

  /** `commit` is called when one is due, `leastMs` or more after the one before. */
  constructor(leastMs: number, commit: () => void) {
    this.#leastMs = leastMs;
    this.#commit = commit;
  }

  /** From now on none comes while a thread waits for the disk. */
  shareDisk(turns: DiskTurns): void {
    this.#turns = turns;
  }

  get isSet(): boolean {
    return this.#dueMono !== null;
  }

  /** Has one come `patienceMs` after the last, and not before the usual interval. */
  after(patienceMs: number): void {
    this.#set(this.#lastMono + Math.max(this.#leastMs, patienceMs));
  }

  /** Has one come with the next turn of the event loop. */
  atOnce(): void {
    this.#set(performance.now());
  }

  cancel(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#dueMono = null;
  }

  /** One was made now. */
  committed(): void {
    this.#lastMono = performance.now();
    this.#turns?.done();
  }

  #fire(): void {
    if (this.#dueMono === null) return; // somebody has committed meanwhile
    if (this.#turns?.isTaken() === true) {
      this.cancel();
      this.#set(performance.now() + TURN_LOOK_MS);
    } else this.#commit();
  }

  #set(at: number): void {
    if (this.#dueMono !== null && this.#dueMono <= at) return;
    this.cancel();
    this.#dueMono = at;
    // Node's own timer, not the Clock: pacing the disk is no product time, and a waiting write must keep the process
    // alive.
    const wait = at - performance.now();
    if (wait <= 0) setImmediate(() => this.#fire());
    else this.#timer = setTimeout(() => this.#fire(), wait);
  }
}
