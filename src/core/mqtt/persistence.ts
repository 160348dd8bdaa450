/**
 * The broker's state across restarts and power cuts, for Aedes: retained messages, persistent sessions and their
 * queues, wills, QoS 2 identifiers. Memory is authoritative while the hub runs, bounded by quotas; the SQLite file
 * follows in group commits, and code that must not answer before the disk has it waits for {@link Persistence.settle}.
 * Only changes are written. Must never know what the messages mean.
 */
import { Readable } from "node:stream";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import type { Database } from "../storage/database.ts";
import { deviceOfClient, type NativeTopics } from "./authorise.ts";
import type { CommandDelivery } from "./command-delivery.ts";
import { IncomingStore } from "./incoming-store.ts";
import { OutgoingQueues, type QueueLimits } from "./outgoing-queues.ts";
import { RetainedStore } from "./retained-store.ts";
import type { Rights } from "./rights.ts";
import { type MatchedSubscription, SessionStore } from "./session-store.ts";
import { type SessionOwner, type StoredPacket, type StoredSubscription, subjectOf } from "./stored-packet.ts";
import { MqttIncomingTable } from "./tables/mqtt-incoming.ts";
import { MqttQueueTable } from "./tables/mqtt-queue.ts";
import { MqttRetainedTable } from "./tables/mqtt-retained.ts";
import { MqttSubscriptionTable } from "./tables/mqtt-subscription.ts";
import { MqttWillTable } from "./tables/mqtt-will.ts";
import { WillStore } from "./will-store.ts";
import { WriteBehind } from "./write-behind.ts";

/** A crash may lose this much of unawaited writes. */
const LAZY_WRITE_MS = 5_000;

/** The broker as its persistence sees it. */
export interface PersistenceBroker {
  readonly id: string;
}

/** Aedes' persistence on the hub's database. */
export class Persistence {
  readonly #options: ConstructorParameters<typeof Persistence>[0];
  readonly #writes: WriteBehind;
  readonly #queues: OutgoingQueues;
  readonly #sessions: SessionStore;
  readonly #lazyWrites: WriteBehind;
  readonly #retained: RetainedStore;
  readonly #incoming: IncomingStore;
  readonly #wills: WillStore;
  /** The subscriptions being added in this very turn. */
  #adding: { readonly subscriptions: readonly StoredSubscription[]; readonly stored: Promise<void> } | null = null;
  #broker: PersistenceBroker | null = null;

  constructor(options: {
    readonly database: Database;
    readonly limits: QueueLimits;
    readonly rights: Pick<Rights, "subscribable" | "receivable" | "subscriptionsOf">;
    readonly topics: Pick<NativeTopics, "isNative">;
    readonly commands: Pick<CommandDelivery, "acknowledged">;
    /** How long a change may wait for others before it is written, ms. */
    readonly writeDelayMs: number;
    /** False: the wall clock may be wrong, and queued commands of the last run are dropped. */
    readonly clockTrusted: () => boolean;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    const { database, clock, logger, limits, rights, topics } = options;
    this.#options = options;
    this.#writes = new WriteBehind({ database, delayMs: options.writeDelayMs, clock, logger });
    this.#queues = new OutgoingQueues({ table: new MqttQueueTable(database), writes: this.#writes, limits, clock });
    this.#sessions = new SessionStore({ table: new MqttSubscriptionTable(database), writes: this.#writes, rights });
    this.#lazyWrites = new WriteBehind({ database, delayMs: LAZY_WRITE_MS, clock, logger });
    this.#retained = new RetainedStore({
      table: new MqttRetainedTable(database),
      writes: this.#writes,
      lazyWrites: this.#lazyWrites,
      topics,
    });
    this.#incoming = new IncomingStore({ table: new MqttIncomingTable(database), writes: this.#writes });
    this.#wills = new WillStore({ table: new MqttWillTable(database), writes: this.#writes });
  }

  /** The broker given to {@link setup}. */
  get broker(): PersistenceBroker | null {
    return this.#broker;
  }

  /** Reads what the last run left. */
  async setup(broker: PersistenceBroker): Promise<void> {
    this.#broker = broker;
    this.#retained.load();
    this.#wills.load();
    this.#incoming.load();
    this.#sessions.load();
    this.#queues.load(this.#options.clockTrusted());
    await this.settle();
  }

  /** Resolves when all changes so far are on disk, or the disk refused them (then they wait for its recovery). */
  async settle(): Promise<void> {
    await this.#writes.settle();
  }

  /** Writes what waits. Aedes never calls this; the creator of the persistence does. */
  async destroy(): Promise<void> {
    await this.#writes.settle();
    await this.#lazyWrites.settle();
  }

  /** Keeps wills from now on: a stopping hub publishes none (MQTT 3.1.1 §3.1.2.5 lets it wait for the restart). */
  freezeWills(): void {
    this.#wills.freeze();
  }

  /** Sizes, and the number dropped since the start. */
  get figures(): {
    retained: number;
    sessions: number;
    queued: OutgoingQueues["figures"];
    wills: number;
    unwritten: number;
    failing: boolean;
  } {
    return {
      retained: this.#retained.size,
      sessions: this.#sessions.counts.clients,
      queued: this.#queues.figures,
      wills: this.#wills.size,
      unwritten: this.#writes.waiting,
      failing: this.#writes.failing,
    };
  }

  // --- retained messages ---

  /** Keeps a retained message; an empty one removes its topic. The same message again changes nothing on disk. */
  async storeRetained(packet: StoredPacket): Promise<void> {
    this.#retained.put(packet);
  }

  /** The retained messages that match any of `patterns`. */
  createRetainedStreamCombi(patterns: readonly string[]): Readable {
    return Readable.from(patterns.flatMap((pattern) => this.#retained.matching(pattern)));
  }

  /** The retained messages that match `pattern`. */
  createRetainedStream(pattern: string): Readable {
    return Readable.from(this.#retained.matching(pattern));
  }

  /** The retained messages themselves. */
  get retained(): Pick<
    RetainedStore,
    "below" | "leftBy" | "foreignOf" | "foreignMatching" | "matching" | "get" | "foreign"
  > {
    return this.#retained;
  }

  // --- sessions ---

  /**
   * Adds subscriptions to the session of `client`; resolves once they are on disk. Aedes asks at once for each
   * subscription of a packet, with all of them every time.
   */
  addSubscriptions(client: SessionOwner, subscriptions: readonly StoredSubscription[]): Promise<void> {
    if (this.#adding?.subscriptions === subscriptions) return this.#adding.stored;
    const stored = this.#sessions.add(client.id, subscriptions) ? this.settle() : Promise.resolve();
    this.#adding = { subscriptions, stored };
    queueMicrotask(() => {
      this.#adding = null;
    });
    return stored;
  }

  /** Removes subscriptions; resolves once that is on disk. */
  async removeSubscriptions(client: SessionOwner, topics: readonly string[]): Promise<void> {
    if (this.#sessions.remove(client.id, topics)) await this.settle();
  }

  /** The subscriptions of the session of `client`. */
  async subscriptionsByClient(client: SessionOwner): Promise<StoredSubscription[]> {
    this.#queues.begin(client.id); // Aedes asks when, and only when, the client connects
    return this.#sessions.of(client.id);
  }

  /** Counts of the persistent sessions. */
  async countOffline(): Promise<{ subsCount: number; clientsCount: number }> {
    const { clients, subscriptions } = this.#sessions.counts;
    return { subsCount: subscriptions, clientsCount: clients };
  }

  /** The QoS 1 and 2 subscriptions of persistent sessions that match `topic`. */
  async subscriptionsByTopic(topic: string): Promise<MatchedSubscription[]> {
    return this.#subscribers(topic);
  }

  /** Grows with every change of the subscriptions of persistent sessions. */
  get subscriptionsVersion(): number {
    return this.#sessions.version;
  }

  /** Whether messages of `topic` would be queued for a persistent session. */
  hasSubscriber(topic: string): boolean {
    return this.#subscribers(topic).length > 0;
  }

  /** Ends the session of `client`: a clean one begins. Messages waiting for it are dropped. */
  async cleanSubscriptions(client: SessionOwner): Promise<void> {
    this.#sessions.remove(
      client.id,
      this.#sessions.of(client.id).map((subscription) => subscription.topic),
    );
    this.#queues.clear(client.id);
  }

  /** Clients with exactly this topic filter. */
  getClientList(topic: string): Readable {
    return Readable.from(this.#sessions.subscribedTo(topic));
  }

  /** Every client with stored state. */
  clients(): Set<string> {
    return new Set([
      ...this.#sessions.clients(),
      ...this.#queues.clients(),
      ...this.#incoming.clients(),
      ...this.#wills.clients(),
    ]);
  }

  // --- messages to persistent sessions ---

  /**
   * Adds a message to the queue of one session. Not awaited on disk: its sender waits with {@link settle} where it
   * must.
   */
  async outgoingEnqueue(subscription: { readonly clientId: string }, packet: StoredPacket): Promise<void> {
    if (isFor(subscription.clientId, packet)) this.#queues.enqueue(subscription.clientId, packet);
  }

  /** Adds a message to the queues of several sessions. */
  async outgoingEnqueueCombi(
    subscriptions: readonly { readonly clientId: string }[],
    packet: StoredPacket,
  ): Promise<void> {
    for (const { clientId } of subscriptions) if (isFor(clientId, packet)) this.#queues.enqueue(clientId, packet);
  }

  /** Notes the packet identifier under which a message was sent, or its PUBREL. */
  async outgoingUpdate(client: SessionOwner, packet: StoredPacket): Promise<void> {
    this.#queues.update(client.id, packet);
  }

  /** Removes an acknowledged message and returns it. A packet that was never sent has no identifier and stays. */
  async outgoingClearMessageId(client: SessionOwner, packet: StoredPacket): Promise<StoredPacket | undefined> {
    const cleared = this.#queues.acknowledge(client.id, packet.messageId);
    if (packet.messageId !== undefined) this.#options.commands.acknowledged(client.id, packet.messageId);
    return cleared;
  }

  /** The messages waiting for a session, oldest first. */
  outgoingStream(client: SessionOwner): Readable {
    return Readable.from(this.#queues.undelivered(client.id));
  }

  /** Whether sending this packet again repeats an earlier sending (DUP, MQTT 3.1.1 §3.3.1.1). */
  isRepeated(clientId: string, messageId: number): boolean {
    return this.#queues.isRepeated(clientId, messageId);
  }

  /**
   * Whether a message that is being published may go out to `clientId` now; false when the replay of its queue sends
   * it.
   */
  mayPublish(clientId: string, packet: StoredPacket): boolean {
    return this.#queues.publish(clientId, packet);
  }

  /** Drops queued messages whose time is over. */
  sweep(): void {
    this.#queues.sweep();
  }

  // --- QoS 2 from clients ---

  /**
   * Holds a QoS 2 message until its PUBREL; resolves once the identifier is on disk (the payload is only in memory).
   */
  async incomingStorePacket(client: SessionOwner, packet: StoredPacket): Promise<void> {
    this.#incoming.hold(client.id, packet);
    await this.settle();
  }

  /** The held message. @throws Error when the identifier is not held. */
  async incomingGetPacket(client: SessionOwner, packet: StoredPacket): Promise<StoredPacket> {
    const held = this.#incoming.get(client.id, packet.messageId);
    if (held === undefined) throw new Error("no such packet");
    return held;
  }

  /** Whether the identifier is held: the message was handled before. */
  isHeld(clientId: string, messageId: number | undefined): boolean {
    return this.#incoming.get(clientId, messageId) !== undefined;
  }

  /**
   * Releases a held message; resolves once that is on disk: the client may use the identifier again.
   * @throws Error when it is not held.
   */
  async incomingDelPacket(client: SessionOwner, packet: StoredPacket): Promise<void> {
    if (!this.#incoming.release(client.id, packet.messageId)) throw new Error("no such packet");
    await this.settle();
  }

  /** Releases everything held of `client`. */
  async cleanIncoming(client: SessionOwner): Promise<void> {
    this.#incoming.clear(client.id);
  }

  // --- wills ---

  /** Keeps the will of a client that connects; resolves once it is on disk. The same will again is not written. */
  async putWill(client: SessionOwner, packet: StoredPacket): Promise<void> {
    packet.brokerId = this.#broker?.id ?? "";
    packet.clientId = client.id;
    this.#wills.put(client.id, packet);
    await this.settle();
  }

  /** The will of a client; undefined when it has none. */
  async getWill(client: SessionOwner): Promise<StoredPacket | undefined> {
    return this.#wills.get(client.id);
  }

  /** Forgets the will of a client and returns it; while wills are frozen it stays. */
  async delWill(client: SessionOwner): Promise<StoredPacket | undefined> {
    return this.#wills.remove(client.id);
  }

  /** The wills of clients of brokers that are not in `brokers`: left by an earlier run. */
  streamWill(brokers: Readonly<Record<string, unknown>> = {}): Readable {
    return Readable.from(this.#wills.all().filter((will) => !brokers[will.brokerId ?? ""]));
  }

  /** Forgets everything about one client. */
  async forget(client: SessionOwner): Promise<void> {
    await this.cleanSubscriptions(client);
    await this.cleanIncoming(client);
    await this.delWill(client);
  }

  #subscribers(topic: string): MatchedSubscription[] {
    return this.#sessions.match(topic).filter(({ clientId }) => this.#options.rights.receivable(clientId, topic));
  }
}

/** Whether a message may be queued for a session: one that belongs to a client of the bridge only for that client. */
function isFor(clientId: string, packet: StoredPacket): boolean {
  const subject = subjectOf(packet);
  return subject === null || subject === deviceOfClient(clientId);
}
