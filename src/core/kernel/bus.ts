import type { Logger } from "./logger.ts";

interface Listener {
  readonly name: string;
  readonly handle: (fact: never) => void;
  isGone: boolean;
}

/**
 * Announces committed facts to listeners. Delivery is synchronous, in the order of subscription, after the fact is
 * committed. Listeners return nothing; one that throws is logged by name and does not affect the others.
 */
export class Bus<Facts extends object> {
  readonly #logger: Logger;
  /** Immutable lists, so that one can be iterated while listeners subscribe or leave. */
  readonly #listeners = new Map<keyof Facts, readonly Listener[]>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Subscribes `handle` to facts of `kind`; `name` appears in the log. Returns the unsubscribe function. */
  on<Kind extends keyof Facts>(kind: Kind, name: string, handle: (fact: Facts[Kind]) => void): () => void {
    // the map key ties kind and fact type together
    const entry: Listener = { name, handle: handle as (fact: never) => void, isGone: false };
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), entry]);
    return () => {
      entry.isGone = true;
      const others = this.#listeners.get(kind)?.filter((listener) => listener !== entry) ?? [];
      this.#listeners.set(kind, others);
    };
  }

  /** Whether facts of `kind` have a listener; for those that are costly to announce. */
  isHeard(kind: keyof Facts): boolean {
    return (this.#listeners.get(kind)?.length ?? 0) > 0;
  }

  /** Announces one fact. Call it after the transaction that made it true has been committed. */
  announce<Kind extends keyof Facts>(kind: Kind, fact: Facts[Kind]): void {
    for (const listener of this.#listeners.get(kind) ?? []) {
      if (listener.isGone) continue;
      try {
        listener.handle(fact as never); // same kind, same fact type: see on()
      } catch (error) {
        this.#logger.error({ kind: String(kind), listener: listener.name, err: error }, "bus listener failed");
      }
    }
  }
}
