/**
 * Takes messages of devices from Aedes' `authorizePublish`: may this device publish here, is the payload what the topic
 * takes, which handler gets it, and when is the acknowledgement due. Aedes acknowledges as soon as it is called back, so
 * the callback is held until the handler's rows and the broker's own are on disk. Refused messages are acknowledged and
 * dropped, since the sender would otherwise repeat them for ever (MQTT 3.1.1 has no negative acknowledgement).
 */
import type { PublishPacket } from "aedes";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { Database } from "../storage/database.js";
import { type LiveClient, live } from "./aedes-types.js";
import type { NativeTopic, NativeTopics } from "./authorise.js";
import { topicWithin } from "./authorise.js";
import type { BridgeGate } from "./bridge-gate.js";
import { isBridged } from "./bridge-side.js";
import type { Connection } from "./connection.js";
import type { MqttLimits } from "./limits.js";
import { dispatch, type NativeHandlers, RefusedPayload } from "./native-topics.js";
import { Pacer } from "./pacer.js";
import type { Persistence } from "./persistence.js";
import type { Refusals } from "./refusals.js";
import { belongingTo } from "./stored-packet.js";
import { TimeSlices } from "./time-slices.js";

/** What {@link Intake} needs. */
export interface IntakeOptions {
  /** What a message changes nothing of may still be on its way to the medium. */
  readonly database: Pick<Database, "position" | "durable">;
  readonly topics: NativeTopics;
  readonly bridge: BridgeGate;
  readonly handlers: NativeHandlers;
  readonly persistence: Persistence;
  readonly refusals: Refusals;
  readonly limits: MqttLimits;
  /** Whether a live subscription matches the topic. */
  readonly hasListener: (topic: string) => boolean;
  /** Hands a message to its subscribers and keeps it where it is retained. */
  readonly forward: (packet: PublishPacket, done: (error?: Error) => void) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Who sent a message; `connection` and `client` are null for wills left by an earlier run. */
export interface Sender {
  readonly deviceId: string;
  readonly clientId: string;
  readonly client: LiveClient | null;
  readonly connection: Connection | null;
}

/** `answered`: acknowledge; `unstored`: keep silent, the sender is to repeat it. */
type Verdict = "answered" | "unstored";

/** Where taken messages go in Aedes' own flow: nobody can subscribe to it. */
const SINK = "$SYS/taken";
const NOTHING = Buffer.alloc(0);
const POLL_MS = 20;
const MAX_UNFINISHED_QOS0 = 5_000;

/** No single client of the bridge fills more than this part of what is kept for all of them: the others keep room. */
const ONE_CLIENTS_SHARE = 2;

/** Topics whose messages are for the hub alone: never forwarded, never retained. */
const HUB_ONLY: ReadonlySet<NativeTopic["name"]> = new Set(["frame", "captureDone"]);
/** What a full disk must not keep from connecting and receiving commands: acknowledged even when it cannot be stored. */
const SOFT: ReadonlySet<NativeTopic["name"]> = new Set(["status", "info"]);

/** The way of a device's message from the wire to its handler. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #pacer: Pacer;
  readonly #bridgePacer: Pacer;
  readonly #slices: TimeSlices;
  #taken = 0;
  #unfinished = 0;
  #unfinishedQos0 = 0;

  constructor(options: IntakeOptions) {
    const { messagesPerSecond, messageBurst, bridgeMessagesPerSecond, bridgeMessageBurst } = options.limits;
    this.#options = options;
    this.#pacer = new Pacer({ perSecond: messagesPerSecond, burst: messageBurst }, options.clock);
    this.#bridgePacer = new Pacer({ perSecond: bridgeMessagesPerSecond, burst: bridgeMessageBurst }, options.clock);
    this.#slices = new TimeSlices(options.clock);
  }

  /** Messages taken and held back by the pace since start; messages that are not finished now. */
  get figures(): { taken: number; paced: number; unfinished: number } {
    return { taken: this.#taken, paced: this.#pacer.held + this.#bridgePacer.held, unfinished: this.#unfinished };
  }

  /** Lets held-back messages through and waits until all are finished, `stopDrainMs` at most; for an orderly stop. */
  async drain(): Promise<void> {
    this.#pacer.release();
    this.#bridgePacer.release();
    this.#slices.release();
    const deadline = this.#options.clock.mono() + this.#options.limits.stopDrainMs;
    while (this.#unfinished > 0 && this.#options.clock.mono() < deadline) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  /** A message on an open connection. Calls `done` when it may be acknowledged, never before it returns. */
  message(client: LiveClient, connection: Connection, packet: PublishPacket, done: () => void): void {
    const deviceId = connection.identity?.deviceId ?? "";
    const sender = { deviceId, clientId: client.id, client, connection };
    this.#begin(connection);
    const place = packet.qos > 0 ? connection.answers.reserve(done) : null;
    const pass = (task: () => void): void => {
      if (isBridged(deviceId)) this.#bridgePacer.pass(deviceId, () => this.#slices.run(task));
      else this.#pacer.pass(deviceId, task);
    };
    pass(() => {
      const work = this.#take(sender, packet);
      if (place === null) {
        queueMicrotask(done); // Aedes' parser is not re-entrant
        void work.then(() => this.#end(client, connection));
        return;
      }
      void work.then((verdict) => {
        if (verdict === "answered") place.ready();
        else {
          place.abandon();
          packet.qos = 0; // Aedes goes on reading, and acknowledges nothing
          done();
          this.#closeSoon(client, connection);
        }
        this.#end(client, connection);
      });
    });
  }

  /** A will, of a connection that just broke or of an earlier run. Calls `done` when it is stored and published. */
  will(from: Sender, packet: PublishPacket, done: () => void): void {
    void this.#take(from, packet).then(done);
  }

  #begin(connection: Connection): void {
    this.#unfinished += 1;
    connection.unfinished += 1;
    if (connection.unfinished >= this.#options.limits.unfinishedMessages) connection.valve.pause();
  }

  #end(client: LiveClient, connection: Connection): void {
    this.#unfinished -= 1;
    connection.unfinished -= 1;
    // A connection that is not read cannot show that it is alive; that is no fault of the client.
    if (!client.closed) client._keepaliveTimer?.refresh();
    if (connection.unfinished <= this.#options.limits.unfinishedMessages / 2) connection.valve.resume();
  }

  /** Never rejects. */
  async #take(sender: Sender, packet: PublishPacket): Promise<Verdict> {
    const message = { topic: packet.topic, payload: bytes(packet.payload), qos: packet.qos, retain: packet.retain, dup: packet.dup };
    const messageId = packet.qos > 0 ? (packet.messageId ?? null) : null;
    packet.topic = SINK;
    packet.payload = NOTHING;
    packet.retain = false;
    this.#taken += 1;
    const refuse = (reason: string): Verdict => {
      this.#options.refusals.count(sender.deviceId, { reason, topic: message.topic, payload: message.payload, at: this.#options.clock.now() });
      return "answered";
    };
    if (isBridged(sender.deviceId)) return this.#takeBridged(sender, message, refuse);
    const topic = this.#options.topics.publishable(sender.deviceId, message.topic);
    if (typeof topic === "string") return refuse(topic);
    if (!topicWithin(message.topic, this.#options.limits)) return refuse("topic_too_long");
    if (topic.name !== "frame" && message.payload.length > this.#options.limits.packetBytes) return refuse("oversize");
    if (message.qos === 2 && this.#options.persistence.isHeld(sender.clientId, messageId ?? undefined)) return "answered"; // handled before
    if (message.qos === 0 && this.#unfinishedQos0 >= MAX_UNFINISHED_QOS0) return refuse("overload");
    if (message.qos === 0) this.#unfinishedQos0 += 1;
    const { database } = this.#options;
    const known = database.position;
    try {
      const { connection } = sender;
      const receipt = { messageId, duplicate: message.dup, at: this.#options.clock.now(), ...(connection ? { connection } : {}) };
      const work: Promise<unknown>[] = [];
      const clears = message.retain && message.payload.length === 0 && topic.name !== "captureDone";
      if (!clears) work.push(dispatch({ topic, payload: message.payload, receipt }, this.#options.handlers));
      const forwarded = HUB_ONLY.has(topic.name) ? null : this.#forward(sender.deviceId, message);
      if (forwarded !== null) work.push(forwarded);
      await Promise.all(work);
      if (message.qos > 0) await database.durable(known); // it may have been compared with what is not on the medium yet
      return "answered";
    } catch (error) {
      return this.#failed({ ...topic, soft: SOFT.has(topic.name) }, message.qos, error, refuse);
    } finally {
      if (message.qos === 0) this.#unfinishedQos0 -= 1;
    }
  }

  /** A message of a client of the bridge: to the families, to the clients that may have it, and kept where it is retained. */
  async #takeBridged(sender: Sender, message: Forwardable, refuse: (reason: string) => Verdict): Promise<Verdict> {
    const { bridge } = this.#options;
    const { topic, payload, qos, retain } = message;
    const refusal = bridge.refusal(sender.clientId, topic, payload.length);
    if (refusal === "foreign_topic" && retain && bridge.keepEarly(sender.clientId, topic, payload)) return "answered";
    if (refusal !== null) return refuse(refusal);
    if (qos === 0 && this.#unfinishedQos0 >= MAX_UNFINISHED_QOS0) return refuse("overload");
    if (qos === 0) this.#unfinishedQos0 += 1;
    const { database } = this.#options;
    const known = database.position;
    try {
      // First: the families may ask for what is retained. A client that waits is heard by the hub alone, and leaves nothing behind.
      const forwarded = bridge.isWaiting(sender.clientId) ? null : this.#forward(sender.deviceId, message);
      await Promise.all([forwarded, bridge.message(sender.clientId, { topic, payload, durable: qos > 0 })]);
      if (qos > 0) await database.durable(known);
      return "answered";
    } catch (error) {
      return this.#failed({ name: topic, soft: false, deviceId: sender.deviceId }, qos, error, refuse);
    } finally {
      if (qos === 0) this.#unfinishedQos0 -= 1;
    }
  }

  #failed(message: { name: string; soft: boolean; deviceId: string }, qos: number, error: unknown, refuse: (reason: string) => Verdict): Verdict {
    if (error instanceof RefusedPayload) return refuse(error.reason);
    if (error instanceof Problem) {
      refuse(error.code);
      const passing = error.code === "storage_full" || error.code === "unavailable";
      return passing && qos > 0 && !message.soft ? "unstored" : "answered";
    }
    this.#options.logger.error({ err: error, topic: message.name, deviceId: message.deviceId }, "a device's message could not be handled");
    return refuse("failed");
  }

  /** Starts the message's way to its subscribers; null when there is nobody and nothing is retained. */
  #forward(deviceId: string, message: Forwardable): Promise<void> | null {
    const retain = message.retain && this.#mayRetain(deviceId, message);
    const { hasListener, persistence, forward } = this.#options;
    const kept = persistence.hasSubscriber(message.topic);
    if (!retain && !kept && !hasListener(message.topic)) return null;
    const owner = isBridged(deviceId) ? belongingTo(deviceId) : {};
    const packet: PublishPacket = { cmd: "publish", topic: message.topic, payload: message.payload, qos: message.qos, retain, dup: false, ...owner };
    const published = new Promise<void>((resolve, reject) => forward(packet, (error) => (error ? reject(error) : resolve())));
    return retain || kept ? published.then(() => (message.qos > 0 ? persistence.settle() : undefined)) : published;
  }

  #mayRetain(deviceId: string, message: Forwardable): boolean {
    const { limits, persistence, topics, refusals, clock } = this.#options;
    const { length } = message.payload;
    if (length === 0) return true;
    if (isBridged(deviceId)) {
      const { foreign } = persistence.retained;
      const known = persistence.retained.get(message.topic);
      const own = persistence.retained.foreignOf(deviceId);
      const room = known === undefined ? foreign.topics < limits.bridgeRetainedTopics && own.topics < limits.bridgeRetainedTopics / ONE_CLIENTS_SHARE : true;
      const fits = foreign.bytes + length <= limits.bridgeRetainedBytes && own.bytes + length <= limits.bridgeRetainedBytes / ONE_CLIENTS_SHARE;
      if (room && fits) return true;
    } else {
      const others = persistence.retained.below(topics.branch(deviceId), message.topic);
      if (others.topics < limits.retainedTopicsPerDevice && others.bytes + length <= limits.retainedBytesPerDevice) return true;
    }
    refusals.count(deviceId, { reason: "retained_quota", topic: message.topic, payload: message.payload, at: clock.now() });
    return false;
  }

  #closeSoon(client: LiveClient, connection: Connection): void {
    if (connection.closing) return;
    connection.closing = true;
    this.#options.clock.after(this.#options.limits.unstoredCloseMs, () => live(client).conn.destroy());
  }
}

interface Forwardable {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: PublishPacket["qos"];
  readonly retain: boolean;
}

function bytes(payload: string | Buffer): Buffer {
  return typeof payload === "string" ? Buffer.from(payload) : payload;
}
