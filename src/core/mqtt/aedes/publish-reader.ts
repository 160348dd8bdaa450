/**
 * Reads the PUBLISH packets of QoS 0 and 1 of a connected client itself, from the bytes meant for Aedes' parser, and
 * leaves everything else to that parser, in order of arrival. Aedes' own path of a message (parser, series of
 * callbacks, a publication that nobody can subscribe to, an acknowledgement of two writes) costs several times the
 * hub's own processing. Irregular packets (no topic, a wildcard in it, lengths that do not fit) go to Aedes too, which
 * ends the connection.
 *
 * The only hook is `client._parser.parse`, which Aedes calls with the bytes it has read (aedes 1.2.0, lib/client.js;
 * mqtt-packet 9.0.2, parser.js).
 */
import { freeBytes } from "../../kernel/free-bytes.ts";
import { ClientMessage, type PublishHead } from "../client-message.ts";
import { aliveNow, begun, type LiveClient } from "./client.ts";

const PUBLISH = 3;
const NOTHING = Buffer.alloc(0);
/** As Aedes' own `maxTopicLevels`. */
const MOST_LEVELS = 100;
/** A longer topic is decoded each time. */
const REMEMBERED_BYTES = 256;

/** From now on `take` gets the client's messages of QoS 0 and 1; `finished` (client.ts) is due once for each. */
export function readPublishes(client: LiveClient, take: (message: ClientMessage) => void): void {
  const reader = new PublishReader(client, take);
  client._parser.parse = (chunk) => reader.read(chunk);
}

/** One connection's packets, distinguished by their fixed headers. */
class PublishReader {
  readonly #client: LiveClient;
  readonly #take: (message: ClientMessage) => void;
  readonly #parse: (chunk: Buffer) => number;
  /** Bytes of the present packet that Aedes' parser is still to get. */
  #remaining = 0;
  /** Beginning of a packet whose length is not known yet. */
  #stash = NOTHING;
  /** The incomplete PUBLISH, its received length, and its full length (0: none). */
  #partial = NOTHING;
  #held = 0;
  #whole = 0;
  /** The topic of the last message and its bytes: a device keeps sending the same few. */
  #topic = "";
  #topicBytes = NOTHING;

  constructor(client: LiveClient, take: (message: ClientMessage) => void) {
    this.#client = client;
    this.#take = take;
    this.#parse = client._parser.parse.bind(client._parser);
  }

  /** Takes bytes read from the socket; returns how many bytes of an incomplete packet are kept here. */
  read(chunk: Buffer): number {
    let data = chunk;
    if (this.#whole > 0) {
      const part = data.subarray(0, this.#whole - this.#held);
      this.#hold(part);
      if (this.#held < this.#whole) return this.#held;
      const packet = this.#partial;
      this.#partial = NOTHING;
      this.#held = 0;
      this.#whole = 0;
      this.#walk(packet, true);
      data = data.subarray(part.length);
    } else if (this.#stash.length > 0) {
      data = Buffer.concat([this.#stash, data]);
      this.#stash = NOTHING;
    }
    return data.length === 0 ? 0 : this.#walk(data);
  }

  /** In one buffer, not in as many as chunks arrived: a packet may come byte by byte. It holds only that packet. */
  #hold(part: Buffer): void {
    const needed = this.#held + part.length;
    if (needed > this.#partial.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#whole, Math.max(needed, this.#partial.length * 2)));
      this.#partial.copy(larger, 0, 0, this.#held);
      if (this.#held > 0) freeBytes(this.#partial);
      this.#partial = larger;
    }
    part.copy(this.#partial, this.#held);
    this.#held = needed;
  }

  /** `isAlone`: the memory of `data` holds only one packet. */
  #walk(data: Buffer, isAlone = false): number {
    /** Where what Aedes is to parse begins. */
    let from = 0;
    let at = 0;
    let taken = false;
    while (at < data.length) {
      if (this.#client.closed) return 0;
      if (this.#remaining > 0) {
        const step = Math.min(this.#remaining, data.length - at);
        at += step;
        this.#remaining -= step;
        continue;
      }
      const body = bodyOf(data, at);
      if (body === 0) {
        this.#stash = Buffer.from(data.subarray(at));
        break;
      }
      const end = body + lengthOf(data, at, body);
      const first = data[at] ?? 0;
      const isOurs = first >> 4 === PUBLISH && (first & 0b100) === 0 && this.#client.connackSent;
      if (!isOurs) {
        this.#remaining = end - at;
        continue;
      }
      if (at > from) {
        this.#parse(data.subarray(from, at));
        from = at;
        continue; // the connection may have ended over it
      }
      if (end > data.length) {
        this.#whole = end - at;
        this.#hold(data.subarray(at));
        break;
      }
      const message = this.#message(data, first, body, end);
      at = end;
      if (message === null) continue; // Aedes' parser gets it with the following bytes
      from = end;
      message.isAlone = isAlone;
      begun(this.#client, 1);
      this.#take(message);
      taken = true;
    }
    if (taken) aliveNow(this.#client);
    if (at > from) this.#parse(data.subarray(from, at));
    return this.#stash.length + this.#held;
  }

  /** Null for a packet that violates MQTT 3.1.1 §3.3. */
  #message(data: Buffer, first: number, body: number, end: number): ClientMessage | null {
    const qos = (first & 0b10) === 0 ? 0 : 1;
    const topicFrom = body + 2;
    const topicEnd = topicFrom + (((data[body] ?? 0) << 8) | (data[body + 1] ?? 0));
    const payloadFrom = topicEnd + (qos === 1 ? 2 : 0);
    if (topicFrom > end || payloadFrom > end || topicEnd === topicFrom) return null;
    const topic = this.#topicOf(data, topicFrom, topicEnd);
    if (topic === null) return null;
    const head: PublishHead = {
      topic,
      qos,
      retain: (first & 1) === 1,
      dup: (first & 0b1000) !== 0,
      messageId: qos === 0 ? null : ((data[topicEnd] ?? 0) << 8) | (data[topicEnd + 1] ?? 0),
    };
    return new ClientMessage(head, data, payloadFrom, end);
  }

  #topicOf(data: Buffer, from: number, end: number): string | null {
    if (sameBytes(this.#topicBytes, data, from, end)) return this.#topic;
    const topic = data.toString("utf8", from, end);
    if (!isRegular(topic)) return null;
    if (end - from <= REMEMBERED_BYTES) {
      this.#topic = topic;
      this.#topicBytes = Buffer.from(data.subarray(from, end));
    }
    return topic;
  }
}

/**
 * The offset of the body of the packet at `at`; 0: its fixed header is not complete. The frame guard refuses lengths
 * longer than four bytes.
 */
function bodyOf(data: Buffer, at: number): number {
  for (let index = at + 1; index < data.length; index++) if ((data[index] ?? 0) < 0x80) return index + 1;
  return 0;
}

/** MQTT 3.1.1 §2.2.3. */
function lengthOf(data: Buffer, at: number, body: number): number {
  let length = 0;
  for (let index = body - 1; index > at; index--) length = length * 128 + ((data[index] ?? 0) & 0x7f);
  return length;
}

function sameBytes(known: Buffer, data: Buffer, from: number, end: number): boolean {
  if (known.length !== end - from) return false;
  for (let index = 0; index < known.length; index++) if (known[index] !== data[from + index]) return false;
  return true;
}

function isRegular(topic: string): boolean {
  let levels = 1;
  for (let index = 0; index < topic.length; index++) {
    const character = topic.charCodeAt(index);
    if (character === 0x2b || character === 0x23) return false; // + and #
    if (character === 0x2f) levels += 1;
  }
  return levels <= MOST_LEVELS;
}
