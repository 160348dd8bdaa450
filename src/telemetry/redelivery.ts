import { crc32 } from "node:zlib";

/** One MQTT connection of a device; one object per connection. */
export interface DeviceConnection {
  /** Its client's last connection broke, or ended with the hub's last run: the client may send again what was in flight. */
  readonly mayRepeat: boolean;
}

/** What a message is recognised by. */
export interface IncomingMessage {
  readonly messageId: number;
  readonly check: number;
  /** The packet's DUP flag. */
  readonly duplicate: boolean;
  readonly connection: DeviceConnection | null;
}

/**
 * Up to this message id, a repetition is believed only with the DUP flag: a client that was just switched on counts
 * from 1 and may well send the same reading as the last time.
 */
const COUNTED_ANEW = 16;
/** Messages remembered per device. */
const REMEMBERED = 256;
const FORGOTTEN_TOGETHER = 64;
const PACKED_BYTES = 6;

/**
 * The last QoS 1 messages of one device that were stored, by message id: what a message that comes again is known by.
 * A client sends again what was not acknowledged to it: after a reconnect (some without the DUP flag, but then
 * always before anything new) or after the hub itself came back.
 */
export class RecentMessages {
  /** Message id → check of the payload, least recently stored first; a few more than {@link REMEMBERED}, so that the oldest go together. */
  readonly #checks = new Map<number, number>();
  /** Message ids that came again on a connection so far, while nothing new came on it. */
  readonly #resent = new WeakMap<DeviceConnection, Set<number> | { readonly over: true }>();
  /** The connection on which something new came last: nearly every message comes on it. */
  #newOn: DeviceConnection | null = null;

  /**
   * Whether this message has been stored before. Without the DUP flag (some clients leave it out), only the unbroken
   * run of known messages at the beginning of a connection that may repeat counts, each once: an equal reading that
   * comes later under a used id is a new reading. `stored` are messages (id → check) that the running write job is storing.
   */
  isRedelivery(message: IncomingMessage, stored?: ReadonlyMap<number, number>): boolean {
    const { messageId, check, duplicate, connection } = message;
    const known = (stored?.get(messageId) ?? this.#checks.get(messageId)) === check;
    if (connection === null || !connection.mayRepeat || connection === this.#newOn) return known && duplicate;
    const resent = this.#resent.get(connection) ?? new Set<number>();
    if ("over" in resent) return known && duplicate;
    if (known && (duplicate || (messageId > COUNTED_ANEW && !resent.has(messageId)))) {
      resent.add(messageId);
      this.#resent.set(connection, resent);
      return true;
    }
    this.#resent.set(connection, { over: true });
    this.#newOn = connection;
    return false;
  }

  /** Remembers a stored message. */
  remember(messageId: number, check: number): void {
    this.#checks.delete(messageId);
    this.#checks.set(messageId, check);
    if (this.#checks.size >= REMEMBERED + FORGOTTEN_TOGETHER) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const messageId of this.#checks.keys()) {
      if (this.#checks.size <= REMEMBERED) return;
      this.#checks.delete(messageId);
    }
  }

  /** The list as bytes, for the device's row. */
  pack(): Buffer {
    this.#forgetOldest();
    const packed = Buffer.alloc(this.#checks.size * PACKED_BYTES);
    let offset = 0;
    for (const [messageId, check] of this.#checks) {
      packed.writeUInt16LE(messageId, offset);
      packed.writeUInt32LE(check, offset + 2);
      offset += PACKED_BYTES;
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

/** The check of a message's payload, sample by sample: the same for the same samples with the same own times (null: none). `check` is that of the samples before. */
export function payloadCheck(at: number | null, text: string, check: number): number {
  return crc32(`${at ?? ""}\t${text}\n`, check);
}
