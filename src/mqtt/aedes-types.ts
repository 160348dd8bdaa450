import type { Client, PublishPacket } from "aedes";
import type { PacketProperties } from "./stored-packet.js";

/**
 * Members of Aedes' client that its type declarations leave out and this broker needs (aedes 1.2.0, lib/client.js).
 * They are read here and nowhere else; `test/mqtt/aedes-types.test.ts` fails when an update takes one away.
 */
export interface LiveClient extends Client {
  /** The will that is published when the connection breaks. */
  readonly will: PublishPacket | null;
  /** The client said DISCONNECT. */
  readonly _disconnected: boolean;
  /** The packet identifier that the next QoS 1 or 2 message gets. */
  _nextId: number;
  readonly _keepaliveTimer: NodeJS.Timeout | null;
  /** By topic filter. */
  readonly subscriptions: Readonly<Record<string, { readonly qos: number }>>;
}

/** Aedes hands out its full client under the narrower declared type. */
export function live(client: Client): LiveClient {
  return client as LiveClient; // same object, see LiveClient
}

/** A packet with the members that Aedes adds on the way. */
export interface ForwardedPacket {
  topic: string;
  payload: Buffer | string;
  qos: number;
  dup: boolean;
  retain: boolean;
  messageId?: number | undefined;
  messageExpiry?: number;
  properties?: PacketProperties;
  clientId?: string;
  /** Together the identity of the message within the broker; null brokerId: a retained message sent on SUBSCRIBE. */
  brokerId?: string;
  brokerCounter?: number;
}

/** Takes the next packet identifier of `client`, exactly as Aedes does for a packet that has none. */
export function takeMessageId(client: LiveClient): number {
  const messageId = client._nextId;
  client._nextId = messageId >= 65_535 ? 1 : messageId + 1;
  return messageId;
}
