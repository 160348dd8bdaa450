import type { Clock } from "../kernel/clock.ts";
import { evictionCandidate } from "../kernel/fair-eviction.ts";
import { payloadBytes, type StoredPacket } from "./stored-packet.ts";
import type { MqttQueueRow, MqttQueueTable } from "./tables/mqtt-queue.ts";
import type { WriteBehind } from "./write-behind.ts";

/** Bounds of the queues. */
export interface QueueLimits {
  readonly queuedMessagesPerSession: number;
  readonly queuedBytesPerSession: number;
  readonly queuedBytesTotal: number;
}

interface QueuedMessage {
  readonly id: number;
  readonly clientId: string;
  readonly key: string;
  readonly bytes: number;
  /** The publisher, for a fair share of the room; empty if it is unknown or no longer known. */
  readonly from: string;
  readonly queuedAt: number;
  readonly expiresAt: number | null;
  readonly deadlineMono: number | null;
  packet: StoredPacket;
  /** It was sent in an earlier connection: the next sending is a repetition (DUP). */
  repeated: boolean;
  /** What sends it in the present connection: the replay of the queue, or its own publication. */
  sentBy: "replay" | "publication" | null;
  /** It may be on disk. */
  written: boolean;
}

interface Queue {
  readonly byKey: Map<string, QueuedMessage>;
  readonly byMessageId: Map<number, QueuedMessage>;
  bytes: number;
}

/** Bytes that a message costs in addition to its topic and payload, roughly. */
const OVERHEAD = 200;

/**
 * Messages queued for persistent sessions: held in memory within bounds, mirrored to disk. A message acknowledged
 * within the write-behind's delay never reaches the disk.
 */
export class OutgoingQueues {
  readonly #options: ConstructorParameters<typeof OutgoingQueues>[0];
  readonly #queues = new Map<string, Queue>();
  #nextId = 1;
  #bytes = 0;
  #dropped = 0;
  #expired = 0;

  constructor(options: {
    readonly table: MqttQueueTable;
    readonly writes: WriteBehind;
    readonly limits: QueueLimits;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /** Messages and bytes held now; messages dropped for lack of room and expired since start. */
  get figures(): { messages: number; bytes: number; dropped: number; expired: number } {
    let messages = 0;
    for (const queue of this.#queues.values()) messages += queue.byKey.size;
    return { messages, bytes: this.#bytes, dropped: this.#dropped, expired: this.#expired };
  }

  /**
   * Reads what the last run left. Messages with an expiry are dropped if they have expired, if the wall clock is before
   * the time at which they were queued, or if `clockTrusted` is false, because then the age of a command is unknown.
   */
  load(clockTrusted: boolean): void {
    const { clock, table } = this.#options;
    const now = clock.now();
    for (const row of table.all()) {
      this.#nextId = Math.max(this.#nextId, row.id + 1);
      const remaining = row.expiresAt === null ? null : row.expiresAt - now;
      const tooOld = remaining !== null && (!clockTrusted || remaining <= 0 || now < row.queuedAt);
      const entry = entryOf(row, remaining === null ? null : clock.mono() + remaining);
      if (tooOld) {
        this.#expired += 1;
        this.#unwrite(entry);
      } else this.#insert(entry);
    }
  }

  /** Adds a message to the queue of `clientId`; the same message twice (overlapping subscriptions) stays once. */
  enqueue(clientId: string, packet: StoredPacket): void {
    const { clock, limits } = this.#options;
    if (limits.queuedMessagesPerSession === 0) return;
    const key = keyOf(packet);
    const queue = this.#queues.get(clientId);
    if (queue?.byKey.has(key)) return;
    const remaining = packet.messageExpiry === undefined ? null : packet.messageExpiry - clock.mono();
    const now = clock.now();
    const entry: QueuedMessage = {
      id: this.#nextId++,
      clientId,
      key,
      bytes: OVERHEAD + (packet.topic ?? "").length + payloadBytes(packet).length,
      from: packet.clientId ?? "",
      queuedAt: now,
      expiresAt: remaining === null ? null : Math.round(now + remaining),
      deadlineMono: packet.messageExpiry ?? null,
      packet: copyOf(packet),
      repeated: false,
      sentBy: null,
      written: false,
    };
    this.#insert(entry);
    this.#mark(entry);
    this.#makeRoom(clientId);
  }

  /** Notes the packet identifier of a message just sent, or that a QoS 2 message has become its PUBREL. */
  update(clientId: string, packet: StoredPacket): void {
    const queue = this.#queues.get(clientId);
    const byKey = packet.brokerId === undefined ? undefined : queue?.byKey.get(keyOf(packet));
    const { messageId } = packet;
    if (queue === undefined || messageId === undefined) return;
    if (byKey) {
      if (byKey.packet.messageId === messageId) return;
      if (byKey.packet.messageId !== undefined) queue.byMessageId.delete(byKey.packet.messageId);
      byKey.packet.messageId = messageId;
      queue.byMessageId.set(messageId, byKey);
      this.#mark(byKey);
      return;
    }
    const sent = queue.byMessageId.get(messageId);
    if (sent === undefined || packet.cmd !== "pubrel") return; // dropped for lack of room meanwhile
    sent.packet = { cmd: "pubrel", messageId };
    this.#mark(sent);
  }

  /** Removes the message with this packet identifier and returns it; undefined when there is none. */
  acknowledge(clientId: string, messageId: number | undefined): StoredPacket | undefined {
    if (messageId === undefined) return undefined;
    const entry = this.#queues.get(clientId)?.byMessageId.get(messageId);
    if (entry) this.#remove(entry);
    return entry?.packet;
  }

  /** `clientId` connects again: earlier sends count as repeated, and everything may be sent again. */
  begin(clientId: string): void {
    for (const entry of this.#queues.get(clientId)?.byKey.values() ?? []) {
      entry.repeated = entry.packet.messageId !== undefined;
      entry.sentBy = null;
    }
  }

  /**
   * The messages waiting for `clientId`, oldest first. A message that is published while the queue is replayed is sent
   * by one of the two, not by both.
   */
  *undelivered(clientId: string): Generator<StoredPacket> {
    for (const entry of [...(this.#queues.get(clientId)?.byKey.values() ?? [])]) {
      if (entry.sentBy === "publication") continue;
      entry.sentBy = "replay";
      yield entry.packet;
    }
  }

  /** Whether the publication of a message may send it to `clientId` now; false when the replay of the queue does. */
  publish(clientId: string, packet: StoredPacket): boolean {
    const entry = this.#queues.get(clientId)?.byKey.get(keyOf(packet));
    if (entry === undefined) return true;
    if (entry.sentBy === "replay") return false;
    entry.sentBy = "publication";
    return true;
  }

  /** Whether sending the message with this packet identifier again is a repetition. */
  isRepeated(clientId: string, messageId: number): boolean {
    return this.#queues.get(clientId)?.byMessageId.get(messageId)?.repeated ?? false;
  }

  /** Drops everything queued for `clientId`. */
  clear(clientId: string): void {
    for (const entry of this.#queues.get(clientId)?.byKey.values() ?? []) this.#remove(entry);
  }

  /** Clients with queued messages. */
  clients(): string[] {
    return [...this.#queues.keys()];
  }

  /** Drops messages whose time is over. */
  sweep(): void {
    const now = this.#options.clock.mono();
    for (const queue of this.#queues.values()) {
      for (const entry of queue.byKey.values()) {
        if (entry.deadlineMono === null || entry.deadlineMono > now) continue;
        this.#expired += 1;
        this.#remove(entry);
      }
    }
  }

  #insert(entry: QueuedMessage): void {
    let queue = this.#queues.get(entry.clientId);
    if (queue === undefined) {
      queue = { byKey: new Map(), byMessageId: new Map(), bytes: 0 };
      this.#queues.set(entry.clientId, queue);
    }
    queue.byKey.set(entry.key, entry);
    if (entry.packet.messageId !== undefined) queue.byMessageId.set(entry.packet.messageId, entry);
    queue.bytes += entry.bytes;
    this.#bytes += entry.bytes;
  }

  #makeRoom(clientId: string): void {
    const { queuedMessagesPerSession, queuedBytesPerSession, queuedBytesTotal } = this.#options.limits;
    const queue = this.#queues.get(clientId);
    if (queue === undefined) return;
    while (
      queue.byKey.size > queuedMessagesPerSession ||
      queue.bytes > queuedBytesPerSession ||
      this.#bytes > queuedBytesTotal
    ) {
      const victim = evictionCandidate(
        queue.byKey.values(),
        ({ from }) => from,
        ({ bytes }) => bytes,
      );
      if (victim === undefined) return;
      this.#dropped += 1;
      this.#remove(victim);
    }
  }

  #remove(entry: QueuedMessage): void {
    const queue = this.#queues.get(entry.clientId);
    if (!queue?.byKey.delete(entry.key)) return;
    if (entry.packet.messageId !== undefined) queue.byMessageId.delete(entry.packet.messageId);
    queue.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
    if (queue.byKey.size === 0) this.#queues.delete(entry.clientId);
    if (entry.written) this.#unwrite(entry);
    else this.#options.writes.forget(`queue ${entry.id}`);
  }

  #mark(entry: QueuedMessage): void {
    this.#options.writes.mark(`queue ${entry.id}`, () => {
      entry.written = true;
      this.#options.table.put(rowOf(entry));
    });
  }

  #unwrite(entry: QueuedMessage): void {
    this.#options.writes.mark(`queue ${entry.id}`, () => this.#options.table.remove(entry.id));
  }
}

function keyOf(packet: StoredPacket): string {
  return `${packet.brokerId ?? ""}:${packet.brokerCounter ?? 0}`;
}

/** A separate copy without a packet identifier: it gets one when it is sent. */
function copyOf(packet: StoredPacket): StoredPacket {
  return {
    cmd: packet.cmd ?? "publish",
    topic: packet.topic ?? "",
    payload: packet.payload ?? Buffer.alloc(0),
    qos: packet.qos ?? 0,
    retain: packet.retain ?? false,
    dup: packet.dup ?? false,
    messageId: undefined,
    ...(packet.brokerId === undefined ? {} : { brokerId: packet.brokerId }),
    ...(packet.brokerCounter === undefined ? {} : { brokerCounter: packet.brokerCounter }),
    ...(packet.messageExpiry === undefined ? {} : { messageExpiry: packet.messageExpiry }),
  };
}

function rowOf(entry: QueuedMessage): MqttQueueRow {
  const { packet } = entry;
  return {
    id: entry.id,
    clientId: entry.clientId,
    kind: packet.cmd === "pubrel" ? "pubrel" : "publish",
    messageId: packet.messageId ?? null,
    topic: packet.topic ?? "",
    payload: payloadBytes(packet),
    qos: packet.qos ?? 0,
    retain: packet.retain ? 1 : 0,
    queuedAt: entry.queuedAt,
    expiresAt: entry.expiresAt,
  };
}

/** The entry of a row from an earlier run; its key cannot meet one of this run, whose broker id is new. */
function entryOf(row: MqttQueueRow, deadlineMono: number | null): QueuedMessage {
  const messageId = row.messageId ?? undefined;
  const brokerId = "earlier";
  const publish: StoredPacket = {
    cmd: "publish",
    topic: row.topic,
    payload: row.payload,
    qos: row.qos,
    retain: row.retain === 1,
    dup: false,
    messageId,
    brokerId,
    brokerCounter: row.id,
    ...(deadlineMono === null ? {} : { messageExpiry: deadlineMono }),
  };
  return {
    id: row.id,
    clientId: row.clientId,
    key: `${brokerId}:${row.id}`,
    bytes: OVERHEAD + row.topic.length + row.payload.length,
    from: "",
    queuedAt: row.queuedAt,
    expiresAt: row.expiresAt,
    deadlineMono,
    packet: row.kind === "publish" || messageId === undefined ? publish : { cmd: "pubrel", messageId },
    repeated: false,
    sentBy: null,
    written: true,
  };
}
