/**
 * The embedded MQTT 3.1.1 broker. In: connections of devices (TCP, TLS, WebSocket), commands of the hub. Out: calls of
 * the handlers of native topics (native-topics.ts), commands to devices. It owns sessions, access rules, quotas and
 * acknowledgements; it must never know what a message means to the product, or where devices and their credentials are
 * kept.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Aedes } from "aedes";
import { Admission } from "../kernel/admission.ts";
import type { Timer } from "../kernel/clock.ts";
import { Problem } from "../kernel/problem.ts";
import type { Service } from "../kernel/service.ts";
import { writeWithoutTable } from "./aedes/client.ts";
import { deviceOfClient, NativeTopics } from "./authorise.ts";
import { usernameOf } from "./bridge-access-policy.ts";
import { BridgeAuthorizer } from "./bridge-authorizer.ts";
import { BrokerCallbacks } from "./broker-callbacks.ts";
import type { BrokerFigures, BrokerOptions } from "./broker-options.ts";
import type { ClientMessage } from "./client-message.ts";
import { CommandDelivery } from "./command-delivery.ts";
import type { Connection } from "./connection.ts";
import { DeviceConnections } from "./device-connections.ts";
import { Forwarding } from "./forwarding.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { Intake } from "./intake.ts";
import { Listeners, type TlsMaterial } from "./listeners.ts";
import { Login } from "./login.ts";
import { MessageTap } from "./message-tap.ts";
import { OwnMessages } from "./own-messages.ts";
import { Persistence } from "./persistence.ts";
import { Reception } from "./reception.ts";
import { type Refusal, Refusals } from "./refusals.ts";
import { Rights } from "./rights.ts";
import { Router } from "./router.ts";
import { passing } from "./stored-packet.ts";

const WRITE_DELAY_MS = 50;
/** A message that a person publishes is not kept for later. */
const BY_HAND_TTL_MS = 10_000;

/** What exists between a start and a stop. */
interface Running {
  readonly aedes: Aedes;
  readonly persistence: Persistence;
  readonly intake: Intake;
  readonly forwarding: Forwarding;
  readonly own: OwnMessages;
  readonly timers: readonly Timer[];
}

/** The hub's MQTT broker. */
export class Broker implements Service {
  readonly name = "broker";
  /** For looking at what passes. */
  readonly tap: MessageTap;
  readonly #options: BrokerOptions;
  readonly #topics: NativeTopics;
  readonly #refusals = new Refusals();
  readonly #admission: Admission;
  readonly #listeners: Listeners;
  readonly #login: Login;
  readonly #commands: CommandDelivery;
  readonly #devices: DeviceConnections;
  readonly #reception: Reception;
  readonly #bridge: BridgeAuthorizer;
  readonly #rights: Rights;
  readonly #callbacks: BrokerCallbacks;
  #running: Running | null = null;
  #stopping = false;

  constructor(options: BrokerOptions) {
    const { limits, clock, logger, bridge, results } = options;
    this.#options = options;
    this.#topics = new NativeTopics(options.topicRoot);
    this.tap = new MessageTap(clock, () => this.#running?.persistence.retained.matching("#").map(passing) ?? []);
    this.#bridge = new BridgeAuthorizer({ policy: bridge ?? null, topics: this.#topics, limits, logger });
    this.#rights = new Rights({ topics: this.#topics, bridge: this.#bridge, limits });
    this.#admission = new Admission({ ...limits, turnsPerAddress: limits.maxUnauthenticatedPerAddress }, clock);
    this.#devices = new DeviceConnections(clock);
    const onMessage = (from: Connection, message: ClientMessage): void => this.#running?.intake.message(from, message);
    this.#reception = new Reception({ limits, onMessage, refusals: this.#refusals, clock });
    this.#listeners = new Listeners({
      admission: this.#admission,
      connectTimeoutMs: limits.connectTimeoutMs,
      maxPayload: limits.cameraPacketBytes + limits.packetBytes,
      onConnection: (stream, ticket) =>
        this.#reception.welcome(stream, ticket, this.#stopping ? null : (this.#running?.aedes ?? null)),
    });
    this.#login = new Login({
      limits,
      authenticate: options.authenticate,
      isDevice: options.isDevice ?? (() => false),
      admitBridged: bridge ? (login) => bridge.admit(login) : null,
      hasRoom: (deviceId, clientId) => {
        const clients = this.#devices.of(deviceId);
        const isFull = !this.#admission.hasRoom || clients.length >= this.#rights.sessionsOf(deviceId);
        // A reconnecting client replaces its old connection.
        return !isFull || clients.some((client) => client.id === clientId);
      },
      refusals: this.#refusals,
      clock,
      logger,
    });
    this.#commands = new CommandDelivery({
      heldPerDevice: limits.heldCommandsPerDevice,
      heldTotal: limits.heldCommandsTotal,
      clock,
      results,
    });
    this.#callbacks = new BrokerCallbacks({
      reception: this.#reception,
      login: this.#login,
      rights: this.#rights,
      refusals: this.#refusals,
      devices: this.#devices,
      commands: this.#commands,
      bridge: this.#bridge,
      topics: this.#topics,
      handlers: options.handlers,
      running: () => this.#running,
      isStopping: () => this.#stopping,
      limits,
      clock,
      logger,
    });
  }

  /** Port of the TCP listener; null while it does not listen. */
  get port(): number | null {
    return this.#listeners.port;
  }

  /** As {@link port}, of the TLS listener. */
  get tlsPort(): number | null {
    return this.#listeners.tlsPort;
  }

  /** Reads what the last run left and opens the doors. @throws Error of the system when a port cannot be had. */
  async start(): Promise<void> {
    const { database, limits, clock, logger, host, port, tls } = this.#options;
    this.#stopping = false;
    writeWithoutTable();
    const router = new Router();
    const persistence = new Persistence({
      database,
      limits,
      writeDelayMs: WRITE_DELAY_MS,
      clockTrusted: this.#options.clockTrusted,
      rights: this.#rights,
      topics: this.#topics,
      commands: this.#commands,
      clock,
      logger,
    });
    const forwarding = new Forwarding({
      topics: this.#topics,
      bridge: this.#bridge,
      commands: this.#commands,
      persistence,
      limits,
      clock,
    });
    const aedes = await Aedes.createBroker(this.#callbacks.options(persistence, router, forwarding));
    this.#callbacks.listen(aedes);
    const intake = new Intake({
      database: this.#options.database,
      topics: this.#topics,
      bridge: this.#bridge,
      handlers: this.#options.handlers,
      persistence,
      refusals: this.#refusals,
      limits,
      router,
      aedes,
      tap: this.tap,
      clock,
      logger,
    });
    for (const clientId of persistence.clients()) this.#devices.away(clientId);
    const timers = startHousekeeping({
      brokerId: aedes.id,
      persistence,
      intake,
      devices: this.#devices,
      commands: this.#commands,
      limits,
      clock,
      logger,
    });
    const own = new OwnMessages({
      aedes,
      topics: this.#topics,
      bridge: this.#bridge,
      commands: this.#commands,
      router,
      persistence,
      tap: this.tap,
      clock,
      logger,
    });
    this.#running = { aedes, persistence, intake, forwarding, own, timers };
    try {
      if (port !== null) await this.#listeners.listen(host, port);
      if (tls !== null) await this.#listeners.listenTls(host, tls.port, tls);
    } catch (error) {
      await this.stop();
      throw error;
    }
    logger.info({ host, port: this.port, tlsPort: this.tlsPort }, "broker listening");
  }

  /**
   * Refuses new connections, finishes the messages under way, closes the connections and writes what is pending. Wills
   * are kept for the next start: a restart of the hub is not an event in the house.
   */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === null || this.#stopping) return;
    this.#stopping = true;
    for (const timer of running.timers) timer.stop();
    await this.#listeners.stopListening();
    for (const client of this.#devices.all()) this.#reception.connectionOf(client)?.valve.pause();
    await running.intake.drain();
    running.persistence.freezeWills();
    await new Promise<void>((resolve) => running.aedes.close(resolve));
    this.#listeners.cut();
    this.#running = null;
    await running.persistence.destroy();
  }

  /**
   * Sends a command to a device. `sent`: a live connection has subscribed to commands and gets it; `queued`: it is
   * held, on disk for a persistent session, in memory otherwise, until the device is there or `ttlMs` is over; `from`
   * has its fair share of the room.
   * @throws Problem `broker_unavailable` while the broker does not run.
   */
  async publishCommand(deviceId: string, payload: string, ttlMs: number, from = ""): Promise<"sent" | "queued"> {
    const running = this.#running;
    if (running === null || this.#stopping) throw new Problem("broker_unavailable", "The hub's broker is not running.");
    return running.own.command({ deviceId, payload, from, deadlineMono: this.#options.clock.mono() + ttlMs });
  }

  /**
   * Sends a message of the bridge to one of its clients, or null: to all that may have it, not after `ttlMs`. Never
   * retained. Dropped while the broker does not run and on native topics.
   */
  publishBridged(
    message: { readonly topic: string; readonly payload: string; readonly qos?: 0 | 1 },
    ttlMs: number,
    username: string | null,
  ): void {
    if (!this.#stopping) this.#running?.own.bridged(message, ttlMs, username);
  }

  /**
   * As {@link publishBridged}, for a person: false where the topic is not one to publish to.
   * @throws Problem `broker_unavailable` while the broker does not run.
   */
  publishByHand(message: { readonly topic: string; readonly payload: string; readonly qos: 0 | 1 }): boolean {
    if (this.#running === null || this.#stopping)
      throw new Problem("broker_unavailable", "The hub's broker is not running.");
    if (!this.#bridge.isForeign(message.topic)) return false;
    this.publishBridged(message, BY_HAND_TTL_MS, null);
    return true;
  }

  /**
   * Retained messages outside the native topics that match `filter`, each with the user name of the client that left
   * it; null where that is not known.
   */
  foreignRetained(filter: string): { topic: string; payload: Buffer; username: string | null }[] {
    const found = this.#running?.persistence.retained.foreignMatching(filter) ?? [];
    return found.map(({ topic, payload, subject }) => ({ topic, payload, username: usernameOf(subject) }));
  }

  /** Clears retained messages; resolves when that is on disk. */
  async clearRetained(topics: readonly string[]): Promise<void> {
    const persistence = this.#running?.persistence;
    for (const topic of topics) await persistence?.storeRetained({ topic });
    await persistence?.settle();
  }

  /** Ends all connections of a device whose credential is no longer valid. */
  disconnect(deviceId: string): void {
    for (const client of this.#devices.of(deviceId)) {
      const connection = this.#reception.connectionOf(client);
      if (connection) connection.reason = "revoked";
      client.close();
    }
  }

  /**
   * Ends all connections of a device and forgets its sessions, retained messages and commands; for a device that was
   * removed.
   */
  async forget(deviceId: string): Promise<void> {
    this.disconnect(deviceId);
    this.#commands.forget(deviceId);
    const persistence = this.#running?.persistence;
    if (persistence === undefined) return;
    for (const id of persistence.clients()) if (deviceOfClient(id) === deviceId) await persistence.forget({ id });
    for (const topic of persistence.retained.leftBy(deviceId, this.#topics.branch(deviceId)))
      await persistence.storeRetained({ topic });
    for (const clientId of this.#devices.awayOf(deviceId)) this.#devices.gone(clientId);
    await persistence.settle();
  }

  /** Takes over an HTTP upgrade for MQTT over WebSocket; the caller has checked path and origin. */
  acceptUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#running === null || this.#stopping) socket.destroy();
    else this.#listeners.acceptUpgrade(request, socket, head);
  }

  /** See {@link Listeners.renewTls}. */
  renewTls(material: TlsMaterial): void {
    this.#listeners.renewTls(material);
  }

  /** A device's refusals and their reasons; the empty id stands for clients without a valid credential. */
  refusals(deviceId: string): Refusal[] {
    return this.#refusals.of(deviceId);
  }

  /** Figures; null while it does not run. */
  figures(): BrokerFigures | null {
    const running = this.#running;
    if (running === null) return null;
    return {
      connections: this.#admission.figures,
      devices: this.#devices.devices,
      messages: running.intake.figures,
      commands: this.#commands.figures,
      stored: running.persistence.figures,
      refused: this.#refusals.total,
      slow: running.forwarding.figures,
    };
  }
}
