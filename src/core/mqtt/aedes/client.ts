import type { Client, PublishPacket } from "aedes";
import { writeToStream } from "mqtt-packet";
import type { PacketProperties } from "../stored-packet.ts";

/**
 * Members of Aedes' client that its type declarations leave out and this broker needs (aedes 1.2.0, lib/client.js).
 * They are read in this folder, and through it, and nowhere else; `test/mqtt/aedes.test.ts` fails when an update takes
 * one away.
 */
export interface LiveClient extends Client {
  /** The will that is published when the connection breaks. */
  readonly will: PublishPacket | null;
  /** The client sent DISCONNECT. */
  readonly _disconnected: boolean;
  /** The packet identifier that the next QoS 1 or 2 message gets. */
  _nextId: number;
  readonly _keepaliveTimer: NodeJS.Timeout | null;
  /** By topic filter. */
  readonly subscriptions: Readonly<Record<string, { readonly qos: number }>>;
  /** CONNACK is sent; before it, Aedes queues arriving packets. */
  readonly connackSent: boolean;
  /** Takes the bytes of the socket; each whole packet then goes to its handler, at once. */
  readonly _parser: { parse: (chunk: Buffer) => number };
  /** Packets in progress; Aedes resumes reading from the socket when there are none. */
  _parsingBatch: number;
  /** One packet is handled. */
  readonly _nextBatch: () => void;
  /** Calls back when a full socket takes bytes again; one that does not in `drainTimeout` is closed. */
  waitForDrain(done: (error?: Error | null) => void): void;
}

/**
 * Packets are written without the table that mqtt-packet makes at the first of them: a buffer for each of 65,536 packet
 * identifiers, 7 MB that are never given back and a pause of 40 to 600 ms when the first device connects. Call it
 * before.
 */
export function writeWithoutTable(): void {
  writeToStream.cacheNumbers = false;
}

/** Aedes hands out its full client under the narrower declared type. */
export function live(client: Client): LiveClient {
  return client as LiveClient; // same object, see LiveClient
}

/** Whether the client took its leave with DISCONNECT. */
export function saidGoodbye(client: LiveClient): boolean {
  return client._disconnected;
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

/** The connection has shown that it is alive: its keep-alive timer restarts. */
export function aliveNow(client: LiveClient): void {
  if (!client.closed) client._keepaliveTimer?.refresh();
}

/** `count` more packets of the client are being handled; see {@link finished}. */
export function begun(client: LiveClient, count: number): void {
  client._parsingBatch += count;
}

/**
 * `count` packets that {@link begun} counted are handled: Aedes resumes reading when nothing is left. Never within a
 * call of its parser, which is not re-entrant.
 */
export function finished(client: LiveClient, count: number): void {
  if (client.closed) return;
  client._parsingBatch -= count - 1;
  client._nextBatch();
}

/** Sends the PUBACKs of some packet identifiers in one write; if the socket is full, reading waits for it. */
export function acknowledge(client: LiveClient, packetIds: readonly number[]): void {
  if (client.closed || !(client.connecting || client.connected)) return; // as Aedes' own lib/write.js
  const acks = Buffer.allocUnsafe(packetIds.length * PUBACK_BYTES);
  let at = 0;
  for (const id of packetIds) {
    acks[at] = 0x40;
    acks[at + 1] = 2;
    acks[at + 2] = id >> 8;
    acks[at + 3] = id & 0xff;
    at += PUBACK_BYTES;
  }
  const next = (error?: Error | null): void => {
    if (!error) finished(client, packetIds.length);
  };
  if (client.conn.write(acks)) setImmediate(next);
  else client.waitForDrain(next);
}

const PUBACK_BYTES = 4;
