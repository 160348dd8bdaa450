import { TopicTree } from "../kernel/topic-tree.ts";

/** What the broker hands to a subscriber's listener. */
export interface RoutedPacket {
  readonly topic: string;
}

/** Delivers one packet to one subscription; `done` may come late or never. */
export type Listener = (packet: RoutedPacket, done: () => void) => void;

/**
 * Hands published packets to the subscriptions of live clients; Aedes' `mq` option. Unlike the emitter that Aedes
 * brings along, a publisher never waits for its subscribers: one that has stopped reading would otherwise block the
 * publisher's next read, and after a hundred such packets everybody's. What a slow subscriber may pile up is bounded
 * where packets are forwarded (see `Broker`).
 */
export class Router {
  readonly #listeners = new TopicTree<Listener>();
  #closed = false;

  /** Grows with every subscription that begins or ends. */
  get version(): number {
    return this.#listeners.version;
  }

  /** Whether a live subscription matches `topic`. */
  has(topic: string): boolean {
    return this.#listeners.has(topic);
  }

  /** Adds a listener; Aedes answers SUBSCRIBE once `done` is called. */
  on(filter: string, listener: Listener, done?: () => void): this {
    this.#listeners.add(filter, listener);
    if (done) setImmediate(done);
    return this;
  }

  /** Removes a listener. */
  removeListener(filter: string, listener: Listener, done?: () => void): this {
    this.#listeners.remove(filter, listener);
    if (done) setImmediate(done);
    return this;
  }

  /** Delivers `packet` to every matching listener and calls `done` without waiting for them. */
  emit(packet: RoutedPacket, done: (error?: Error) => void): this {
    if (this.#closed) {
      done(new Error("the broker is stopped"));
      return this;
    }
    for (const listener of this.#listeners.match(packet.topic)) listener(packet, ignore);
    done();
    return this;
  }

  /** Ends all delivery. */
  close(done: () => void): this {
    this.#closed = true;
    setImmediate(done);
    return this;
  }
}

function ignore(): void {}
