import type { Logger } from "./logger.js";

/**
 * Announces finished facts to whoever listens. Delivery is synchronous, in the order of subscription, after the fact is
 * committed. Listeners return nothing; one that throws is logged by name and does not affect the others.
 */
export class Bus<Facts extends object> {
  readonly #logger: Logger;
  readonly #listeners = new Map<keyof Facts, Set<{ name: string; handle: (fact: never) => void }>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Subscribes `handle` to facts of `kind`; `name` appears in the log. Returns the unsubscribe function. */
  on<Kind extends keyof Facts>(kind: Kind, name: string, handle: (fact: Facts[Kind]) => void): () => void {
    const entry = { name, handle: handle as (fact: never) => void }; // the map key ties kind and fact type together
    const listeners = this.#listeners.get(kind) ?? new Set();
    listeners.add(entry);
    this.#listeners.set(kind, listeners);
    return () => listeners.delete(entry);
  }

  /** Whether anybody listens to facts of `kind`; for what is costly to announce. */
  isHeard(kind: keyof Facts): boolean {
    return (this.#listeners.get(kind)?.size ?? 0) > 0;
  }

  /** Announces one fact. Call it after the transaction that made it true has been committed. */
  announce<Kind extends keyof Facts>(kind: Kind, fact: Facts[Kind]): void {
    for (const listener of this.#listeners.get(kind) ?? []) {
      try {
        listener.handle(fact as never); // same kind, same fact type: see on()
      } catch (error) {
        this.#logger.error({ kind: String(kind), listener: listener.name, err: error }, "bus listener failed");
      }
    }
  }
}
