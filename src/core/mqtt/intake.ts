/**
 * Takes in messages of devices: checks the right to publish and the payload, chooses the handler, and acknowledges once
 * the handler's rows and the broker's own are on disk. Refused messages are acknowledged and dropped, since the sender
 * would otherwise repeat them forever (MQTT 3.1.1 has no negative acknowledgement). Messages of QoS 0 and 1 come from
 * the connection itself (aedes/publish-reader.ts); those of QoS 2, wills and messages before CONNACK from Aedes'
 * `authorizePublish`, which acknowledges as soon as its callback is called.
 */
import type { Aedes, PublishPacket } from "aedes";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import type { Database } from "../storage/database.ts";
import { aliveNow, finished } from "./aedes/client.ts";
import { type NativeTopic, type NativeTopics, topicWithin } from "./authorise.ts";
import { isBridged } from "./bridge-access-policy.ts";
import type { BridgeAuthorizer } from "./bridge-authorizer.ts";
import { ClientMessage } from "./client-message.ts";
import { type Connection, type KnownTopic, type Sender, senderOf } from "./connection.ts";
import type { MqttLimits } from "./limits.ts";
import type { MessageTap } from "./message-tap.ts";
import { dispatch, type NativeHandlers, RefusedPayload } from "./native-topics.ts";
import { Pacer } from "./pacer.ts";
import type { Persistence } from "./persistence.ts";
import type { Refusals } from "./refusals.ts";
import { mayRetain } from "./retained-quota.ts";
import type { Router } from "./router.ts";
import { belongingTo } from "./stored-packet.ts";
import { TimeSlices } from "./time-slices.ts";

/** `answered`: acknowledge; `unstored`: keep silent, the sender is to repeat it. */
type Verdict = "answered" | "unstored";

/** The topic of messages taken over from Aedes: nobody can subscribe to it. */
const SINK = "$SYS/taken";
const NOTHING = Buffer.alloc(0);
const POLL_MS = 20;
const MAX_UNFINISHED_QOS0 = 5_000;
/** Nothing is pending. */
const DONE = Promise.resolve();

/** Topics whose messages are for the hub alone: never forwarded, never retained. */
const HUB_ONLY: ReadonlySet<NativeTopic["name"]> = new Set(["frame", "captureDone"]);
/**
 * Messages without which a device could not connect or receive commands: acknowledged even if a full disk cannot store
 * them.
 */
const SOFT: ReadonlySet<NativeTopic["name"]> = new Set(["status", "info"]);

/** The path of a device's message from the wire to its handler. */
export class Intake {
  readonly #options: ConstructorParameters<typeof Intake>[0];
  readonly #pacer: Pacer<ClientMessage>;
  readonly #bridgePacer: Pacer<ClientMessage>;
  readonly #slices: TimeSlices;
  /** The messages that wait for `promise`: all of one group commit wait for the same. */
  #batch: { readonly promise: Promise<unknown>; readonly waiting: ClientMessage[] } | null = null;
  #taken = 0;
  #unfinished = 0;
  #unfinishedQos0 = 0;

  constructor(options: {
    /** A repeated message's first copy may still be on its way to the medium. */
    readonly database: Pick<Database, "position" | "durable">;
    readonly topics: NativeTopics;
    readonly bridge: BridgeAuthorizer;
    readonly handlers: NativeHandlers;
    readonly persistence: Persistence;
    readonly refusals: Refusals;
    readonly tap: Pick<MessageTap, "isOpen" | "note">;
    readonly limits: MqttLimits;
    /** The live subscriptions. */
    readonly router: Router;
    /** Hands a message to its subscribers and keeps it where it is retained. */
    readonly aedes: Aedes;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    const { messagesPerSecond, messageBurst, bridgeMessagesPerSecond, bridgeMessageBurst } = options.limits;
    this.#options = options;
    this.#pacer = new Pacer({ perSecond: messagesPerSecond, burst: messageBurst }, options.clock, (message) =>
      this.#pass(message),
    );
    const inSlices = (message: ClientMessage): void => this.#slices.run(() => this.#pass(message));
    this.#bridgePacer = new Pacer(
      { perSecond: bridgeMessagesPerSecond, burst: bridgeMessageBurst },
      options.clock,
      inSlices,
    );
    this.#slices = new TimeSlices(options.clock);
  }

  /** Messages accepted, and messages delayed by the pace, since the start; messages that are not finished now. */
  get figures(): { taken: number; paced: number; unfinished: number } {
    return { taken: this.#taken, paced: this.#pacer.held + this.#bridgePacer.held, unfinished: this.#unfinished };
  }

  /** Lets held-back messages through and waits until all are finished, `stopDrainMs` at most; for an orderly stop. */
  async drain(): Promise<void> {
    this.#pacer.release();
    this.#bridgePacer.release();
    this.#slices.release();
    const deadline = this.#options.clock.mono() + this.#options.limits.stopDrainMs;
    while (this.#unfinished > 0 && this.#options.clock.mono() < deadline)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  /** A message on an open connection. It is answered when it may be, never before this returns. */
  message(connection: Connection, message: ClientMessage): void {
    const sender = senderOf(connection);
    message.sender = sender;
    this.#unfinished += 1;
    connection.unfinished += 1;
    connection.unfinishedBytes += message.size;
    if (message.qos > 0) connection.acks.reserve(message);
    if (this.#holds(connection, 1)) connection.valve.pause();
    const pacer = sender.isBridged ? this.#bridgePacer : this.#pacer;
    pacer.pass(sender.deviceId, message);
  }

  /** A message of QoS 2, or one that came before CONNACK, from Aedes; `done` has it answered. */
  packet(connection: Connection, packet: PublishPacket, done: () => void): void {
    const send = (isAnswered: boolean): void => {
      if (!isAnswered) packet.qos = 0; // Aedes continues reading, and acknowledges nothing
      done();
    };
    this.message(connection, taken(packet, send));
  }

  /** A will, of a connection that just broke or of an earlier run. Calls `done` when it is stored and published. */
  will(sender: Sender, packet: PublishPacket, done: () => void): void {
    const message = taken(packet);
    message.sender = sender;
    const settled = (failure?: { readonly error: unknown }): void => {
      this.#verdict(message, failure);
      done();
    };
    this.#take(message).then(
      () => this.#durable([message], settled),
      (error: unknown) => settled({ error }),
    );
  }

  #pass(message: ClientMessage): void {
    const promise = this.#take(message);
    if (message.qos === 0) this.#readOn(message);
    if (this.#batch?.promise === promise) {
      this.#batch.waiting.push(message);
      return;
    }
    const batch = { promise, waiting: [message] };
    this.#batch = batch;
    const settled = (failure?: { readonly error: unknown }): void => {
      if (this.#batch === batch) this.#batch = null;
      this.#settle(batch.waiting, failure);
    };
    promise.then(
      () => this.#durable(batch.waiting, settled),
      (error: unknown) => settled({ error }),
    );
  }

  /**
   * Calls `settled` when everything is on the medium that the messages were compared with, which may be what another of
   * their device wrote just before.
   */
  #durable(batch: readonly ClientMessage[], settled: (failure?: { readonly error: unknown }) => void): void {
    let position = 0;
    batch.forEach((message) => {
      if (message.position > position) position = message.position;
    });
    if (position === 0) settled();
    else
      this.#options.database.durable(position).then(
        () => settled(),
        (error: unknown) => settled({ error }),
      );
  }

  /**
   * No answer is awaited: reading of the connection resumes. Not within this turn, in which its parser may be running.
   */
  #readOn({ send, sender: { connection } }: ClientMessage): void {
    if (send !== null) queueMicrotask(() => send(true));
    else if (connection !== null && connection.passed++ === 0) {
      queueMicrotask(() => {
        const count = connection.passed;
        connection.passed = 0;
        finished(connection.client, count);
      });
    }
  }

  #settle(batch: readonly ClientMessage[], failure?: { readonly error: unknown }): void {
    const touched: Connection[] = [];
    // Not `for … of`: a function that runs once for each batch is never compiled, and an object is made for each step.
    batch.forEach((message) => {
      const { connection } = message.sender;
      const verdict = this.#verdict(message, failure);
      this.#unfinished -= 1;
      if (connection === null) return;
      connection.unfinished -= 1;
      connection.unfinishedBytes -= message.size;
      if (!connection.isTouched) touched.push(connection);
      connection.isTouched = true;
      if (message.qos === 0) return;
      if (verdict === "answered") message.isReady = true;
      else this.#drop(message, connection);
    });
    for (const connection of touched) {
      connection.isTouched = false;
      connection.acks.flush();
      // a connection that is not being read cannot show that it is alive; the client is not at fault
      aliveNow(connection.client);
      if (!this.#holds(connection, 1 / 2)) connection.valve.resume();
    }
  }

  /** Whether a connection has reached a share of what may be under way on it. */
  #holds({ unfinished, unfinishedBytes, acks }: Connection, share: number): boolean {
    const { limits } = this.#options;
    const messages = Math.max(unfinished, acks.unconfirmed);
    return messages >= limits.unfinishedMessages * share || unfinishedBytes >= limits.unfinishedBytes * share;
  }

  /** Leaves a message without an answer and soon closes the connection, so that it is sent again. */
  #drop(message: ClientMessage, connection: Connection): void {
    connection.acks.abandon(message);
    if (message.send === null) finished(connection.client, 1);
    else message.send(false);
    if (connection.closing) return;
    connection.closing = true;
    this.#options.clock.after(this.#options.limits.unstoredCloseMs, () => connection.client.conn.destroy());
  }

  /** How a message is answered when its work is done. */
  #verdict(message: ClientMessage, failure?: { readonly error: unknown }): Verdict {
    if (message.isCounted) this.#unfinishedQos0 -= 1;
    return failure === undefined ? "answered" : this.#failed(message, failure.error);
  }

  /** Starts a message's work. Never throws; a message refused here is finished at once. */
  #take(message: ClientMessage): Promise<unknown> {
    const { sender } = message;
    const { limits, persistence, clock, handlers, database, tap } = this.#options;
    this.#taken += 1;
    if (sender.isBridged) return this.#takeBridged(message);
    const known = this.#known(sender, message.topic);
    const topic = known.verdict;
    if (typeof topic === "string") return this.#refuse(message, topic);
    message.native = topic;
    if (topic.name !== "frame" && message.size > limits.packetBytes) return this.#refuse(message, "oversize");
    // handled before
    if (message.qos === 2 && persistence.isHeld(sender.clientId, message.messageId ?? undefined)) return DONE;
    if (message.qos === 0 && !this.#count(message)) return this.#refuse(message, "overload");
    if (message.qos > 0) message.position = database.position;
    if (tap.isOpen) tap.note(message, "client");
    try {
      message.at = clock.now();
      const clears = message.retain && message.size === 0 && topic.name !== "captureDone";
      const handled = clears ? DONE : dispatch(topic, message, handlers);
      const forwarded = HUB_ONLY.has(topic.name) ? null : this.#forward(sender.deviceId, message, known);
      return forwarded === null ? handled : Promise.all([handled, forwarded]);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * A message of a client of the bridge: passed to the families and to the clients that may receive it, and kept if it
   * is retained.
   */
  #takeBridged(message: ClientMessage): Promise<unknown> {
    const { bridge, tap } = this.#options;
    const { sender, topic, payload, qos, retain } = message;
    const refusal = bridge.refusal(sender.clientId, topic, payload.length);
    if (refusal === "foreign_topic" && retain && bridge.keepEarly(sender.clientId, topic, payload)) return DONE;
    if (refusal !== null) return this.#refuse(message, refusal);
    if (qos === 0 && !this.#count(message)) return this.#refuse(message, "overload");
    if (qos > 0) message.position = this.#options.database.position;
    if (tap.isOpen) tap.note(message, "client");
    try {
      // First: the families may ask for retained messages. Messages of a client awaiting acceptance reach only the hub
      // and leave nothing behind.
      const forwarded = bridge.isWaiting(sender.clientId) ? null : this.#forward(sender.deviceId, message, null);
      const handled = bridge.message(sender.clientId, { topic, payload, durable: qos > 0 });
      return forwarded === null ? handled : Promise.all([forwarded, handled]);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Counts a message of QoS 0 among the unfinished; false where there are too many. */
  #count(message: ClientMessage): boolean {
    if (this.#unfinishedQos0 >= MAX_UNFINISHED_QOS0) return false;
    message.isCounted = true;
    this.#unfinishedQos0 += 1;
    return true;
  }

  #refuse({ sender, topic, payload }: ClientMessage, reason: string): Promise<void> {
    this.#options.refusals.count(sender.deviceId, { reason, topic, payload, at: this.#options.clock.now() });
    return DONE;
  }

  #failed(message: ClientMessage, error: unknown): Verdict {
    const { sender, native: topic } = message;
    if (error instanceof RefusedPayload) {
      void this.#refuse(message, error.reason);
      return "answered";
    }
    if (error instanceof Problem) {
      void this.#refuse(message, error.code);
      const passing = error.code === "storage_full" || error.code === "unavailable";
      const isSoft = topic !== null && SOFT.has(topic.name);
      return passing && message.qos > 0 && !isSoft ? "unstored" : "answered";
    }
    this.#options.logger.error(
      { err: error, topic: topic?.name ?? message.topic, deviceId: sender.deviceId },
      "a device's message could not be handled",
    );
    void this.#refuse(message, "failed");
    return "answered";
  }

  /** Whether and as what a native device may publish to a topic. */
  #known(sender: Sender, name: string): KnownTopic {
    const known = sender.connection?.topics.get(name);
    if (known !== undefined) return known;
    const { topics, limits } = this.#options;
    const topic = topics.publishable(sender.deviceId, name);
    const verdict = typeof topic !== "string" && !topicWithin(name, limits) ? "topic_too_long" : topic;
    const found = { verdict, unheardAt: -1 };
    // The handful of topics that do not change from message to message: each capture has its own.
    if (typeof verdict !== "string" && verdict.captureId === null) sender.connection?.topics.set(name, found);
    return found;
  }

  /** Starts forwarding the message to its subscribers; null without subscribers and retained copies. */
  #forward(deviceId: string, message: ClientMessage, known: KnownTopic | null): Promise<void> | null {
    const { router, persistence, aedes } = this.#options;
    const subscriptions = router.version + persistence.subscriptionsVersion; // both only grow
    if (!message.retain && known?.unheardAt === subscriptions) return null;
    const retain = message.retain && mayRetain(deviceId, message, this.#options);
    const kept = persistence.hasSubscriber(message.topic);
    if (!retain && !kept && !router.has(message.topic)) {
      if (known !== null) known.unheardAt = subscriptions;
      return null;
    }
    const owner = isBridged(deviceId) ? belongingTo(deviceId) : {};
    const packet: PublishPacket = {
      cmd: "publish",
      topic: message.topic,
      payload: message.payload,
      qos: message.qos,
      retain,
      dup: false,
      ...owner,
    };
    const published = new Promise<void>((resolve, reject) =>
      aedes.publish(packet, (error) => (error ? reject(error) : resolve())),
    );
    return retain || kept ? published.then(() => (message.qos > 0 ? persistence.settle() : undefined)) : published;
  }
}

/**
 * The content of an Aedes packet; the packet itself is changed into one without receivers. `send`: how it is
 * acknowledged.
 */
function taken(packet: PublishPacket, send: ClientMessage["send"] = null): ClientMessage {
  const { topic, payload, qos, retain, dup, messageId = null } = packet;
  packet.topic = SINK;
  packet.payload = NOTHING;
  packet.retain = false;
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  const head = { topic, qos, retain, dup, messageId: qos > 0 ? messageId : null };
  return new ClientMessage(head, bytes, 0, bytes.length, send);
}
