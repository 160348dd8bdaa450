import type { Clock } from "../kernel/clock.ts";
import { filterMatches } from "../kernel/topic-tree.ts";
import { type ForwardedPacket, type LiveClient, takeMessageId } from "./aedes/client.ts";
import type { NativeTopics } from "./authorise.ts";
import { bridgeClientName } from "./bridge-access-policy.ts";
import type { BridgeAuthorizer } from "./bridge-authorizer.ts";
import type { CommandDelivery } from "./command-delivery.ts";
import type { Connection } from "./connection.ts";
import type { Persistence } from "./persistence.ts";
import { subjectOf } from "./stored-packet.ts";

/** The last check of every message before it is sent to a client. */
export class Forwarding {
  readonly #options: ConstructorParameters<typeof Forwarding>[0];
  #dropped = 0;
  #disconnected = 0;

  constructor(options: {
    readonly topics: NativeTopics;
    readonly bridge: BridgeAuthorizer;
    readonly commands: CommandDelivery;
    readonly persistence: Persistence;
    readonly limits: { readonly slowClientBytes: number; readonly frozenClientBytes: number };
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /** QoS 0 messages dropped, and connections closed, because a client did not take what it was sent; since start. */
  get figures(): { dropped: number; disconnected: number } {
    return { dropped: this.#dropped, disconnected: this.#disconnected };
  }

  /**
   * The packet as it may go out to `client`, or null. Checks again what SUBSCRIBE was granted: rights may have ended
   * since.
   */
  check<Packet extends ForwardedPacket>(
    client: LiveClient,
    connection: Connection | undefined,
    packet: Packet,
  ): Packet | null {
    const { topics, bridge, clock, commands, persistence } = this.#options;
    const deviceId = connection?.identity?.deviceId;
    if (deviceId === undefined || connection?.reason === "revoked") return null;
    const bridged = bridgeClientName(client.id);
    const subject = subjectOf(packet);
    if (subject !== null && subject !== deviceId) return null;
    if (
      bridged !== null
        ? !bridge.receivableBy(bridged, packet.topic)
        : packet.topic.startsWith("$") || !topics.owns(deviceId, packet.topic)
    )
      return null;
    if (packet.messageExpiry !== undefined && packet.messageExpiry <= clock.mono()) return null;
    if (this.#tooSlow(client, packet.qos)) return null;
    const isPublication = packet.messageId === undefined; // a replayed message has its number already
    if (isPublication && packet.qos > 0 && !client.clean && !persistence.mayPublish(client.id, packet)) return null;
    if (bridged === null && packet.messageExpiry !== undefined && subscribedQos(client, packet.topic) > 0) {
      // Aedes would number it later, and only then; it keeps a number that is there
      packet.messageId ??= takeMessageId(client);
      const { payload, clientId: from = "", messageExpiry: deadlineMono } = packet;
      commands.sent(client.id, packet.messageId, { deviceId, payload: payload.toString(), from, deadlineMono });
    }
    if (packet.messageId !== undefined && persistence.isRepeated(client.id, packet.messageId)) packet.dup = true;
    return packet;
  }

  /**
   * A client that does not take what it is sent must not fill the memory: first it loses QoS 0, then its connection.
   */
  #tooSlow(client: LiveClient, qos: number): boolean {
    if (client.conn.destroyed) return true;
    const unsent = client.conn.writableLength;
    const { slowClientBytes, frozenClientBytes } = this.#options.limits;
    if (unsent > frozenClientBytes) {
      this.#disconnected += 1;
      client.conn.destroy();
      return true;
    }
    if (unsent <= slowClientBytes || qos > 0) return false;
    this.#dropped += 1;
    return true;
  }
}

/** The highest QoS with which a client subscribed to `topic`; -1 when it did not. */
function subscribedQos(client: LiveClient, topic: string): number {
  let highest = -1;
  for (const [filter, { qos }] of Object.entries(client.subscriptions))
    if (qos > highest && filterMatches(filter, topic)) highest = qos;
  return highest;
}
