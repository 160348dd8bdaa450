import type { LiveClient } from "./aedes/client.ts";
import type { NativeTopic } from "./authorise.ts";
import { isBridged } from "./bridge-access-policy.ts";
import type { FrameGuard, ReadValve } from "./frame-guard.ts";
import type { DisconnectReason } from "./native-topics.ts";

/** The owner of a credential. */
export interface DeviceIdentity {
  readonly deviceId: string;
  readonly siteId: number;
  /** The device's type, such as `camera`. */
  readonly type: string;
}

/** The pending acknowledgement of one client message of QoS 1 or 2, or of one that was skipped. */
export interface Acknowledgement {
  /** Its work is done: it is sent after its predecessors. */
  isReady: boolean;
  /** The identifier that a PUBACK names; null where {@link Acknowledgement.send} does it. */
  readonly messageId: number | null;
  /** Responds differently than with a PUBACK; `false`: not at all, but continues reading. */
  readonly send: ((isAnswered: boolean) => void) | null;
}

/**
 * Sends acknowledgements in the order in which the messages came (MQTT 3.1.1 §4.6), however their work finishes;
 * PUBACKs in a row in one write.
 */
export class OrderedAcks {
  readonly #puback: (messageIds: readonly number[]) => void;
  #waiting: Acknowledgement[] = [];
  #isIncomplete = false;
  /** Places that were given up, and answers sent since the first of them was. */
  #sentSince = 0;

  /** `puback` sends PUBACKs. */
  constructor(puback: (messageIds: readonly number[]) => void) {
    this.#puback = puback;
  }

  /**
   * Messages from the oldest one without an answer on: what the client may send again after the connection has broken.
   * A message whose place was given up never gets its answer here, so from then on the number only grows.
   */
  get unconfirmed(): number {
    return this.#waiting.length + this.#sentSince;
  }

  /** Takes the next place. */
  reserve(ack: Acknowledgement): void {
    this.#waiting.push(ack);
  }

  /** Gives a place up. */
  abandon(ack: Acknowledgement): void {
    const place = this.#waiting.indexOf(ack);
    if (place === -1) return;
    this.#waiting.splice(place, 1);
    this.#isIncomplete = true;
    this.#sentSince += 1;
  }

  /** Sends what is ready. Call it when something became ready, or a place was given up. */
  flush(): void {
    let count = 0;
    while (this.#waiting[count]?.isReady) count += 1;
    if (count === 0) return;
    const ready = count === this.#waiting.length ? this.#waiting : this.#waiting.splice(0, count);
    if (ready === this.#waiting) this.#waiting = [];
    if (this.#isIncomplete) this.#sentSince += count;
    let acknowledged: number[] = [];
    for (const { messageId, send } of ready) {
      if (send === null) acknowledged.push(messageId ?? 0);
      else {
        if (acknowledged.length > 0) this.#puback(acknowledged);
        acknowledged = [];
        send(true);
      }
    }
    if (acknowledged.length > 0) this.#puback(acknowledged);
  }
}

/** The sender of messages; `connection` is null for wills left by an earlier run. */
export interface Sender {
  readonly deviceId: string;
  readonly clientId: string;
  /** Whether it is a client of the bridge; `deviceId` is its subject then. */
  readonly isBridged: boolean;
  readonly connection: Connection | null;
}

/**
 * What is known about a topic that a native device publishes to: it follows from the device's id and the topic alone.
 */
export interface KnownTopic {
  /** The parsed topic, or why the device may not publish to it. */
  readonly verdict: NativeTopic | string;
  /**
   * The version of all subscriptions (see `Intake`) for which this topic had no receiver; -1: it had one, or was not
   * checked.
   */
  unheardAt: number;
}

/** What the broker knows about one connection beyond Aedes. */
export interface Connection {
  readonly address: string;
  readonly client: LiveClient;
  readonly guard: FrameGuard;
  readonly valve: ReadValve;
  readonly acks: OrderedAcks;
  /** Called once the client is accepted. */
  readonly accepted: () => void;
  /** Null until the credential was accepted. */
  identity: DeviceIdentity | null;
  /** See {@link senderOf}. */
  sender: Sender | null;
  /** Why the connection ends, when the broker knows better than the socket. */
  reason: DisconnectReason | null;
  /** An empty client id that asked for a session: refused (MQTT 3.1.1 §3.1.3.1). */
  namelessSession: boolean;
  /**
   * What message handlers identify a connection by; small, because they keep it. `mayRepeat`: the client's last
   * connection broke, or ended with the hub's last run.
   */
  readonly origin: { mayRepeat: boolean };
  /** Filters that it was granted, those too that are still being stored. */
  readonly granted: Set<string>;
  /** Messages that were accepted and are not finished. */
  unfinished: number;
  /** Bytes of their payloads. */
  unfinishedBytes: number;
  /** Messages of QoS 0 that were let through in this turn. */
  passed: number;
  /** Whether its acknowledgements are sent at the end of the current batch. */
  isTouched: boolean;
  /** What is known about the topics that it has published to. */
  readonly topics: Map<string, KnownTopic>;
  /** A message could not be stored; the connection is about to be closed. */
  closing: boolean;
}

/** The sender of a connection's messages. */
export function senderOf(connection: Connection): Sender {
  if (connection.sender !== null && connection.identity !== null) return connection.sender;
  const deviceId = connection.identity?.deviceId ?? "";
  connection.sender = { deviceId, clientId: connection.client.id, isBridged: isBridged(deviceId), connection };
  return connection.sender;
}
