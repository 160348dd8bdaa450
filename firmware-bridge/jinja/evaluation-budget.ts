/** What may still be spent: steps that come back with time, up to a limit. */
export class EvaluationBudget {
  readonly #most: number;
  readonly #perSecond: number;
  #left: number;
  #filledAt: number | null = null;

  /** @param limits `most` and `perSecond` in steps; `atFirst` may be more than `most`. */
  constructor({
    most,
    perSecond,
    atFirst = most,
  }: { readonly most: number; readonly perSecond: number; readonly atFirst?: number }) {
    this.#most = most;
    this.#perSecond = perSecond;
    this.#left = atFirst;
  }

  /** Steps that are left; 0 when it was overdrawn. */
  get left(): number {
    return Math.max(0, this.#left);
  }

  /** Takes steps out. */
  take(steps: number): void {
    this.#left -= steps;
  }

  /**
   * Puts in what has come back until `at`, epoch milliseconds. A clock that was set back costs nothing and gives
   * nothing.
   */
  refill(at: number): void {
    const seconds = Math.max(0, at - (this.#filledAt ?? at)) / 1000;
    this.#filledAt = at;
    if (this.#left < this.#most) this.#left = Math.min(this.#most, this.#left + seconds * this.#perSecond);
  }

  /** Nothing above the limit is left from the first time. */
  settle(): void {
    this.#left = Math.min(this.#left, this.#most);
  }
}
