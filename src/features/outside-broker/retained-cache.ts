import { matches } from "./filters.ts";

const MOST_TOPICS = 5_000;
const MOST_BYTES = 8 * 1_048_576;

/**
 * The retained messages that came with the subscriptions: firmware's discovery and states, which may have to be read
 * again when a later message gives them a meaning. Bounded; the oldest are evicted first.
 */
export class RetainedCache {
  readonly #messages = new Map<string, Buffer>();
  #bytes = 0;

  /** Notes a message: a retained one, or a newer one on a topic that had one. */
  note(message: { readonly topic: string; readonly payload: Buffer; readonly retained: boolean }): void {
    const known = this.#messages.get(message.topic);
    if (known === undefined && !message.retained) return;
    this.#remove(message.topic);
    if (message.payload.length === 0) return;
    this.#messages.set(message.topic, message.payload);
    this.#bytes += message.payload.length;
    while (this.#messages.size > MOST_TOPICS || this.#bytes > MOST_BYTES) {
      const oldest = this.#messages.keys().next();
      if (oldest.done) return;
      this.#remove(oldest.value);
    }
  }

  /** The messages whose topics match. */
  matching(filter: string): { readonly topic: string; readonly payload: Buffer }[] {
    if (!/[+#]/.test(filter)) {
      const payload = this.#messages.get(filter);
      return payload === undefined ? [] : [{ topic: filter, payload }];
    }
    return [...this.#messages]
      .filter(([topic]) => matches(filter, topic))
      .map(([topic, payload]) => ({ topic, payload }));
  }

  #remove(topic: string): void {
    this.#bytes -= this.#messages.get(topic)?.length ?? 0;
    this.#messages.delete(topic);
  }
}
