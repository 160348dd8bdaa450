/** How much begins in one turn of the event loop. */
export interface FairShares {
  /** Of one address. */
  readonly each: number;
  /** Of all that have waited. */
  readonly all: number;
}

/**
 * Paces work that many may request at once: a few pieces per address are done in one turn of the event loop, the rest
 * in later turns, address by address. A thousand requests that arrive together then delay only the address that sent
 * them.
 */
export class FairScheduler {
  /** Begun in this turn, by address. */
  readonly #begun = new Map<string, number>();
  /** By address, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #limits: FairShares;
  #isScheduled = false;

  constructor(limits: FairShares) {
    this.#limits = limits;
  }

  /** Null if a piece of work for the address may begin at once; otherwise a promise to wait for. */
  wait(address: string): Promise<void> | null {
    this.#schedule();
    const own = this.#waiting.get(address);
    const begun = this.#begun.get(address) ?? 0;
    if (own === undefined && begun < this.#limits.each) {
      this.#begun.set(address, begun + 1);
      return null;
    }
    return new Promise((resolve) => {
      if (own === undefined) this.#waiting.set(address, [resolve]);
      else own.push(resolve);
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#begun.clear();
    const { each, all } = this.#limits;
    let left = all;
    for (const [address, own] of [...this.#waiting]) {
      if (left <= 0) break;
      const next = own.splice(0, Math.min(each, left));
      left -= next.length;
      this.#begun.set(address, next.length);
      this.#waiting.delete(address);
      if (own.length > 0) this.#waiting.set(address, own); // behind the others
      for (const begin of next) begin();
    }
    if (this.#waiting.size + this.#begun.size > 0) this.#schedule();
  }
}
