import { TopicTree } from "../kernel/topic-tree.ts";

/** A packet as a subscriber's listener gets it. */
export interface RoutedPacket {
  readonly topic: string;
}

/** Delivers one packet to one subscription; `done` may come late or never. */
export type Listener = (packet: RoutedPacket, done: () => void) => void;

/**
 * Delivers published packets to the subscriptions of live clients; Aedes' `mq` option. Unlike with Aedes' own emitter,
 * a publisher never waits for its subscribers: one that has stopped reading would otherwise block the publisher's next
 * read, and after a hundred such packets every client's. A slow subscriber's backlog is bounded where packets are
 * forwarded (see `Broker`).
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

  /** Adds a listener; Aedes sends SUBACK once `done` is called. */
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
