/**
 * The callbacks of the broker's library: rights to connect, publish, subscribe and receive, and reports of clients that
 * connect and disconnect.
 */
import type { Aedes, Client, PublishPacket, Subscription } from "aedes";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { filterMatches } from "../kernel/topic-tree.ts";
import { type ForwardedPacket, type LiveClient, live } from "./aedes/client.ts";
import type { NativeTopics } from "./authorise.ts";
import { isBridged } from "./bridge-access-policy.ts";
import type { BridgeAuthorizer } from "./bridge-authorizer.ts";
import type { CommandDelivery } from "./command-delivery.ts";
import { senderOf } from "./connection.ts";
import type { DeviceConnections } from "./device-connections.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Intake } from "./intake.ts";
import type { MqttLimits } from "./limits.ts";
import type { Login } from "./login.ts";
import type { NativeHandlers } from "./native-topics.ts";
import type { OwnMessages } from "./own-messages.ts";
import type { Persistence } from "./persistence.ts";
import type { Reception } from "./reception.ts";
import type { Refusals } from "./refusals.ts";
import type { Rights } from "./rights.ts";
import type { Router } from "./router.ts";

/** Answers the broker's library. */
export class BrokerCallbacks {
  readonly #parts: ConstructorParameters<typeof BrokerCallbacks>[0];

  constructor(parts: {
    readonly reception: Reception;
    readonly login: Login;
    readonly rights: Rights;
    readonly refusals: Refusals;
    readonly devices: DeviceConnections;
    readonly commands: CommandDelivery;
    readonly bridge: BridgeAuthorizer;
    readonly topics: NativeTopics;
    readonly handlers: NativeHandlers;
    /** What exists while the broker runs; null while it does not. */
    readonly running: () => {
      readonly intake: Intake;
      readonly own: OwnMessages;
      readonly persistence: Persistence;
    } | null;
    readonly isStopping: () => boolean;
    readonly limits: MqttLimits;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#parts = parts;
  }

  /** The options of the broker that serves these parts. */
  options(persistence: Persistence, router: Router, forwarding: Forwarding): ConstructorParameters<typeof Aedes>[0] {
    const { limits, login } = this.#parts;
    return {
      persistence,
      mq: router,
      connectTimeout: limits.connectTimeoutMs,
      drainTimeout: limits.drainTimeoutMs,
      maxInflightInbound: limits.unreleasedMessages,
      preConnect: (client, packet, done) => {
        const connection = this.#parts.reception.connectionOf(client);
        if (connection) login.prepare(connection, packet);
        done(null, connection !== undefined);
      },
      authenticate: (client, username, password, done) => {
        const connection = this.#parts.reception.connectionOf(client);
        if (connection === undefined) done(null, false);
        else login.authenticate(client, connection, { username, password }, done);
      },
      authorizePublish: (client, packet, done) => this.#authorisePublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) => done(null, this.#authoriseSubscribe(client, subscription)),
      // Aedes adds members to the packet that its types leave out: see ForwardedPacket.
      authorizeForward: (client, packet) =>
        forwarding.check(
          live(client),
          this.#parts.reception.connectionOf(client),
          packet as ForwardedPacket & typeof packet,
        ),
    };
  }

  /** Subscribes to the broker's events. */
  listen(aedes: Aedes): void {
    const { logger } = this.#parts;
    aedes.addListener("error", (error: Error) => logger.error({ err: error }, "broker error"));
    aedes.on("clientError", (client, error) =>
      logger.debug({ clientId: client.id, err: error }, "device connection ended with an error"),
    );
    aedes.on("connectionError", (_client, error) =>
      logger.debug({ err: error }, "connection closed before it was accepted"),
    );
    aedes.on("keepaliveTimeout", (client) => {
      const connection = this.#parts.reception.connectionOf(client);
      if (connection) connection.reason ??= "keepalive";
    });
    aedes.on("client", (client) => this.#arrived(live(client)));
    aedes.on("clientDisconnect", (client) => this.#left(live(client)));
    aedes.on("subscribe", (subscriptions, client) => this.#subscribed(subscriptions, client));
    aedes.on("unsubscribe", (topics, client) => {
      const granted = this.#parts.reception.connectionOf(client)?.granted;
      for (const topic of topics) granted?.delete(topic);
    });
  }

  #authorisePublish(client: Client | null, packet: PublishPacket, done: (error?: Error | null) => void): void {
    const intake = this.#parts.running()?.intake;
    const connection = client === null ? undefined : this.#parts.reception.connectionOf(client);
    if (intake === undefined || connection === undefined) done(new Error("nobody may publish"));
    else if (connection.client.will !== packet) intake.packet(connection, packet, () => done(null));
    else if (this.#parts.isStopping()) done(new Error("wills wait for the next start"));
    else {
      connection.reason ??= "will";
      intake.will(senderOf(connection), packet, () => done(null));
    }
  }

  #authoriseSubscribe(client: Client, subscription: Subscription): Subscription | null {
    const connection = this.#parts.reception.connectionOf(client);
    const { topic } = subscription;
    const { subscriptions } = live(client);
    // One packet's subscriptions are stored before Aedes adds any of them.
    const count = Math.max(connection?.granted.size ?? 0, Object.keys(subscriptions).length);
    const isNew = subscriptions[topic] === undefined && connection?.granted.has(topic) !== true;
    const full = isNew && count >= this.#parts.rights.subscriptionsOf(client.id);
    if (this.#parts.rights.subscribable(client.id, topic) && !full) {
      connection?.granted.add(topic);
      return subscription;
    }
    const reason = full ? "too_many_subscriptions" : "foreign_subscription";
    const deviceId = connection?.identity?.deviceId ?? "";
    this.#parts.refusals.count(deviceId, { reason, topic, at: this.#parts.clock.now() });
    return null;
  }

  #arrived(client: LiveClient): void {
    const connection = this.#parts.reception.connectionOf(client);
    const deviceId = connection?.identity?.deviceId;
    if (connection === undefined || deviceId === undefined) return;
    if (!this.#parts.login.stands(connection)) return void client.close();
    connection.accepted();
    connection.origin.mayRepeat = this.#parts.devices.mayRepeat(client.id);
    const isFirst = this.#parts.devices.add(deviceId, client);
    const away = client.clean ? [] : this.#parts.devices.awayOf(deviceId);
    const surplus = away.slice(0, Math.max(0, away.length + 1 - this.#parts.rights.sessionsOf(deviceId)));
    for (const id of surplus) {
      this.#parts.devices.gone(id);
      void this.#parts.running()?.persistence.forget({ id });
    }
    if (isBridged(deviceId)) this.#parts.bridge.connection(client.id, true);
    else if (isFirst) this.#parts.handlers.connected(deviceId);
  }

  #left(client: LiveClient): void {
    const connection = this.#parts.reception.connectionOf(client);
    const deviceId = connection?.identity?.deviceId;
    if (connection === undefined || deviceId === undefined) return;
    this.#parts.commands.lost(client.id, client.clean && connection.reason !== "revoked");
    const wasLast = this.#parts.devices.remove(deviceId, client);
    if (isBridged(deviceId)) this.#parts.bridge.connection(client.id, false);
    else if (wasLast && !this.#parts.isStopping())
      this.#parts.handlers.disconnected(deviceId, connection.reason ?? "disconnect");
  }

  #subscribed(subscriptions: readonly Subscription[], client: Client): void {
    const deviceId = this.#parts.reception.connectionOf(client)?.identity?.deviceId;
    if (deviceId === undefined) return;
    const topic = this.#parts.topics.command(deviceId);
    if (subscriptions.some(({ qos, topic: filter }) => qos <= 2 && filterMatches(filter, topic)))
      this.#parts.running()?.own.held(deviceId);
  }
}
