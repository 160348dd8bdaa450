import { crc32 } from "node:zlib";
import { DEFAULT_LIMITS, mostUnconfirmed } from "./limits.ts";

/** One MQTT connection of a device; one object per connection. */
export interface DeviceConnection {
  /** Its client's last connection broke, or ended with the hub's last run: the client may resend what was in flight. */
  readonly mayRepeat: boolean;
}

/** What identifies a message. */
export interface IncomingMessage {
  readonly check: number;
  /** The packet's DUP flag. */
  readonly duplicate: boolean;
  readonly connection: DeviceConnection | null;
}

/** A message of QoS 1 that is being stored. */
interface StoredMessage {
  readonly messageId: number | null;
  readonly check: number;
}

/** What a client has sent again on a connection. */
interface Resent {
  /** The id of the last message that was stored before. */
  readonly before: number | undefined;
  /** Ids of known messages. */
  readonly ids: Set<number>;
}

/** The check of the last of `messages` with this id. */
export function checkOfLast(messages: readonly StoredMessage[], messageId: number): number | undefined {
  return messages.findLast((message) => message.messageId === messageId)?.check;
}

/**
 * Up to this message id, a repetition is believed only with the DUP flag: a client that was just switched on counts
 * from 1 and may well send the same reading as last time.
 */
const COUNTED_ANEW = 16;
/** Messages remembered per device: all that a connection can have without an acknowledgement. */
const REMEMBERED = mostUnconfirmed(DEFAULT_LIMITS);
const MESSAGE_IDS = 65_535;
const PACKED_BYTES = 6;
/** Longer texts are checked by the library, which costs a call each. */
const SHORT = 256;

/**
 * The last QoS 1 messages of one device that were stored, by message id: how a resent message is recognised. A client
 * resends what was not acknowledged to it: after a reconnect (some without the DUP flag, but then always before
 * anything new) or after the hub itself came back.
 */
export class RecentMessages {
  /**
   * Message ids and the checks of their payloads, in a ring: `#next` is the next position, that of the oldest. It is
   * written for each message and hardly ever read.
   */
  #ids = new Uint16Array(0);
  #checks = new Uint32Array(0);
  #next = 0;
  #count = 0;
  /** Whether a message of the journal may be among those that {@link unpack} gave. */
  #isPacked = true;
  /** What has been resent on a connection; over: something new has come on it. */
  readonly #resent = new WeakMap<DeviceConnection, Resent | "over">();
  /** The connection on which something new came last: nearly every message comes on it. */
  #newOn: DeviceConnection | null = null;

  /**
   * Whether this message has been stored before. Without the DUP flag (some clients leave it out), only known messages
   * at the beginning of a connection that may repeat count, each once, until something new comes: an equal reading that
   * comes later under a used id is a new reading. Not new is what was sent before a known message and could not be
   * stored. `storing`: what the current write job is storing for the device.
   */
  isRedelivery(message: IncomingMessage, messageId: number, storing: readonly StoredMessage[]): boolean {
    const { duplicate, connection } = message;
    const mayBeUnmarked = connection?.mayRepeat === true && connection !== this.#newOn;
    if (!duplicate && !mayBeUnmarked) return false; // nearly all
    const stored = checkOfLast(storing, messageId) ?? this.#checkOf(messageId);
    const isKnown = stored === message.check;
    if (!mayBeUnmarked) return isKnown;
    const resent = this.#resent.get(connection) ?? { before: this.#lastId(), ids: new Set<number>() };
    if (resent === "over") return duplicate && isKnown;
    this.#resent.set(connection, resent);
    if (isKnown && (duplicate || (messageId > COUNTED_ANEW && !resent.ids.has(messageId)))) {
      resent.ids.add(messageId);
      return true;
    }
    if (stored === undefined && messageId > COUNTED_ANEW && isShortlyBefore(messageId, resent.before)) return false;
    this.#resent.set(connection, "over");
    this.#newOn = connection;
    return false;
  }

  /** The id of the last message that was stored. */
  #lastId(): number | undefined {
    return this.#ids[(this.#next - 1 + REMEMBERED) % REMEMBERED];
  }

  /** Remembers a message that is stored in the journal; those before the last {@link pack} are remembered already. */
  replay(messageId: number, check: number): void {
    this.#isPacked &&= this.#checkOf(messageId) === check;
    if (!this.#isPacked) this.remember(messageId, check);
  }

  /** Remembers a stored message. */
  remember(messageId: number, check: number): void {
    if (this.#ids.length === 0) {
      this.#ids = new Uint16Array(REMEMBERED); // most devices never send a message of QoS 1
      this.#checks = new Uint32Array(REMEMBERED);
    }
    this.#ids[this.#next] = messageId;
    this.#checks[this.#next] = check;
    this.#next = (this.#next + 1) % REMEMBERED;
    this.#count = Math.min(REMEMBERED, this.#count + 1);
  }

  /** The check of the last message that was stored under an id. */
  #checkOf(messageId: number): number | undefined {
    for (let age = 1; age <= this.#count; age++) {
      const place = (this.#next - age + REMEMBERED) % REMEMBERED;
      if (this.#ids[place] === messageId) return this.#checks[place];
    }
    return undefined;
  }

  /** The list as bytes, oldest first, for the device's row. */
  pack(): Buffer {
    const packed = Buffer.alloc(this.#count * PACKED_BYTES);
    for (let index = 0; index < this.#count; index++) {
      const place = (this.#next - this.#count + index + REMEMBERED) % REMEMBERED;
      packed.writeUInt16LE(this.#ids[place] as number, index * PACKED_BYTES); // a position in the ring, like the next
      packed.writeUInt32LE(this.#checks[place] as number, index * PACKED_BYTES + 2);
    }
    return packed;
  }

  /** Remembers what {@link pack} wrote. */
  unpack(packed: Buffer): void {
    for (let offset = 0; offset + PACKED_BYTES <= packed.length; offset += PACKED_BYTES) {
      this.remember(packed.readUInt16LE(offset), packed.readUInt32LE(offset + 2));
    }
  }
}

/** Whether a client that counts its messages sent `messageId` not long before `last`. */
function isShortlyBefore(messageId: number, last: number | undefined): boolean {
  if (last === undefined) return false;
  const ahead = (last - messageId + MESSAGE_IDS) % MESSAGE_IDS;
  return ahead > 0 && ahead < REMEMBERED;
}

/**
 * The check of a message's payload, sample by sample: equal for equal samples with equal own times (null: none).
 * `check` is that of the samples before.
 */
export function payloadCheck(at: number | null, text: string, check: number): number {
  if (at !== null || text.length > SHORT) return crc32(`${at ?? ""}\t${text}\n`, check);
  let sum = step(~check, TAB);
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character > 0x7f) return crc32(`\t${text}\n`, check); // of its bytes
    sum = step(sum, character);
  }
  return ~step(sum, NEWLINE) >>> 0;
}

const TAB = 0x09;
const NEWLINE = 0x0a;
const CRC_32 = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ ((sum & 1) === 0 ? 0 : 0xedb88320);
  return sum;
});

function step(sum: number, byte: number): number {
  return (CRC_32[(sum ^ byte) & 0xff] as number) ^ (sum >>> 8); // one of 256
}
