/** A number of places for work of one kind: what finds none free waits, and takes its turn in order. */
export class Slots {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs work in a place of its own. The waiting list has no bound: the caller limits how many may wait. */
  async run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#taken >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift(); // takes over this place
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }
}
