import { TopicTree } from "../kernel/topic-tree.ts";
import type { Rights } from "./rights.ts";
import type { StoredSubscription } from "./stored-packet.ts";
import type { MqttSubscriptionTable } from "./tables/mqtt-subscription.ts";
import type { WriteBehind } from "./write-behind.ts";

/** A subscription found by topic. */
export interface MatchedSubscription {
  readonly clientId: string;
  readonly topic: string;
  readonly qos: number;
  readonly rh: number | undefined;
  readonly rap: boolean | undefined;
  readonly nl: boolean | undefined;
}

/**
 * Persistent sessions: a client and its topic filters, in memory and on disk. A session without filters does not exist.
 */
export class SessionStore {
  readonly #options: ConstructorParameters<typeof SessionStore>[0];
  readonly #sessions = new Map<string, Map<string, StoredSubscription>>();
  /** Only subscriptions of QoS 1 and 2: nothing is kept for the others. */
  readonly #tree = new TopicTree<MatchedSubscription>();
  readonly #matched = new Map<string, MatchedSubscription>();

  constructor(options: {
    readonly table: MqttSubscriptionTable;
    readonly writes: WriteBehind;
    /** Aedes passes refused subscriptions too. */
    readonly rights: Pick<Rights, "subscribable" | "subscriptionsOf">;
  }) {
    this.#options = options;
  }

  /** Reads what the last run left. */
  load(): void {
    for (const row of this.#options.table.all()) this.#set(row.clientId, { topic: row.topic, qos: row.qos });
  }

  /** Clients that have a session. */
  clients(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Sessions, and subscriptions of QoS 1 and 2. */
  get counts(): { clients: number; subscriptions: number } {
    return { clients: this.#sessions.size, subscriptions: this.#matched.size };
  }

  /**
   * Adds subscriptions; refused ones and those past the limit are left out. Returns whether anything changed on disk.
   */
  add(clientId: string, subscriptions: readonly StoredSubscription[]): boolean {
    const { rights } = this.#options;
    let changed = false;
    for (const subscription of subscriptions) {
      const session = this.#sessions.get(clientId);
      const known = session?.get(subscription.topic);
      if (!rights.subscribable(clientId, subscription.topic)) continue;
      if (known === undefined && (session?.size ?? 0) >= rights.subscriptionsOf(clientId)) continue;
      this.#set(clientId, subscription);
      if (known?.qos === subscription.qos) continue;
      this.#mark(clientId, subscription.topic);
      changed = true;
    }
    return changed;
  }

  /** Removes subscriptions. Returns whether anything changed. */
  remove(clientId: string, topics: readonly string[]): boolean {
    const session = this.#sessions.get(clientId);
    let changed = false;
    for (const topic of topics) {
      if (!session?.delete(topic)) continue;
      this.#unmatch(clientId, topic);
      this.#mark(clientId, topic);
      changed = true;
    }
    if (session?.size === 0) this.#sessions.delete(clientId);
    return changed;
  }

  /** The subscriptions of one client. */
  of(clientId: string): StoredSubscription[] {
    return [...(this.#sessions.get(clientId)?.values() ?? [])];
  }

  /** Grows with every change of what {@link match} may find. */
  get version(): number {
    return this.#tree.version;
  }

  /** The QoS 1 and 2 subscriptions that match `topic`. */
  match(topic: string): MatchedSubscription[] {
    return this.#tree.match(topic);
  }

  /** Clients with exactly this topic filter. */
  *subscribedTo(topic: string): Generator<string> {
    for (const [clientId, session] of this.#sessions) if (session.has(topic)) yield clientId;
  }

  #set(clientId: string, { topic, qos, rh, rap, nl, subscriptionIdentifier }: StoredSubscription): void {
    const session = this.#sessions.get(clientId) ?? new Map<string, StoredSubscription>();
    this.#sessions.set(clientId, session);
    // Aedes compares absent and undefined as equal
    const extras = { rh, rap, nl } as Pick<StoredSubscription, "rh" | "rap" | "nl">;
    session.set(topic, {
      topic,
      qos,
      ...extras,
      ...(subscriptionIdentifier === undefined ? {} : { subscriptionIdentifier }),
    });
    this.#unmatch(clientId, topic);
    if (qos === 0) return;
    const matched: MatchedSubscription = { clientId, topic, qos, rh, rap, nl };
    this.#matched.set(rowKey(clientId, topic), matched);
    this.#tree.add(topic, matched);
  }

  #unmatch(clientId: string, topic: string): void {
    const matched = this.#matched.get(rowKey(clientId, topic));
    if (matched === undefined) return;
    this.#matched.delete(rowKey(clientId, topic));
    this.#tree.remove(topic, matched);
  }

  #mark(clientId: string, topic: string): void {
    this.#options.writes.mark(`subscription ${rowKey(clientId, topic)}`, () => {
      const subscription = this.#sessions.get(clientId)?.get(topic);
      if (subscription) this.#options.table.put({ clientId, topic, qos: subscription.qos });
      else this.#options.table.remove(clientId, topic);
    });
  }
}

/** Neither part can hold a line feed: client ids and filters of devices are checked before. */
function rowKey(clientId: string, topic: string): string {
  return `${clientId}\n${topic}`;
}
