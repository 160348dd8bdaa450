/** When the next group commit is due. Commits are kept apart; the first after a quiet time comes at once. */
export class CommitTimer {
  readonly #leastMs: number;
  readonly #commit: () => void;
  #timer: NodeJS.Timeout | null = null;
  /** When the next commit is due, by `performance.now()`; null: none is. */
  #dueMono: number | null = null;
  #lastMono = Number.NEGATIVE_INFINITY;

  /** `commit` is called when one is due, `leastMs` or more after the one before. */
  constructor(leastMs: number, commit: () => void) {
    this.#leastMs = leastMs;
    this.#commit = commit;
  }

  get isSet(): boolean {
    return this.#dueMono !== null;
  }

  /** Has one come `patienceMs` after the last, and not before the usual interval. */
  after(patienceMs: number): void {
    this.#set(this.#lastMono + Math.max(this.#leastMs, patienceMs));
  }

  /** Has one come in so many milliseconds; 0: with the next turn of the event loop. */
  within(ms: number): void {
    this.#set(performance.now() + ms);
  }

  cancel(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#dueMono = null;
  }

  /** One was made now. */
  committed(): void {
    this.#lastMono = performance.now();
  }

  #set(at: number): void {
    if (this.#dueMono !== null && this.#dueMono <= at) return;
    this.cancel();
    this.#dueMono = at;
    // Node's own timer, not the Clock: pacing the disk is no product time, and a waiting write must keep the process
    // alive.
    const wait = at - performance.now();
    if (wait <= 0) setImmediate(this.#commit);
    else this.#timer = setTimeout(this.#commit, wait);
  }
}
