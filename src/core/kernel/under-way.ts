/** Work that has begun and not ended, for a stop that waits for it. */
export class UnderWay {
  readonly #running = new Set<Promise<unknown>>();

  /** Counts work until it ends. It must not reject. */
  add(work: Promise<unknown>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Resolves when everything that was under way by now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
