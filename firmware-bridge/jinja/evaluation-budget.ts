/** A budget of steps that refills over time, up to a limit. */
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

  /** Steps left; 0 if it is overdrawn. */
  get left(): number {
    return Math.max(0, this.#left);
  }

  /** Spends steps. */
  take(steps: number): void {
    this.#left -= steps;
  }

  /** Refills the budget up to `at`, epoch milliseconds. A clock that was set back neither costs nor gives anything. */
  refill(at: number): void {
    const seconds = Math.max(0, at - (this.#filledAt ?? at)) / 1000;
    this.#filledAt = at;
    if (this.#left < this.#most) this.#left = Math.min(this.#most, this.#left + seconds * this.#perSecond);
  }

  /** Drops what is left of the initial budget above the limit. */
  settle(): void {
    this.#left = Math.min(this.#left, this.#most);
  }
}
