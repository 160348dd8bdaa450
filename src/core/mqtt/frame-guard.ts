/**
 * Stands between a socket and the MQTT parser, which would buffer whatever length a client announces (268 MB): inspects
 * only the fixed headers, before the bodies arrive. The first packet must be CONNECT; until the client is accepted
 * packets are small; an oversize PUBLISH of an accepted client is skipped without being buffered; any other oversize
 * packet is a protocol violation. Must never know topics or devices.
 */
import type { Duplex } from "node:stream";
import type { Inflow } from "../kernel/inflow.ts";

/** An oversize PUBLISH that was skipped. */
export interface SkippedPublish {
  readonly topic: string;
  readonly qos: number;
  /** Null for QoS 0. */
  readonly packetId: number | null;
  /** Length of the packet without its fixed header, bytes. */
  readonly bytes: number;
}

/** Why a connection is to be closed. */
export type Violation =
  | "connect_expected"
  | "connect_too_large"
  | "packet_too_large"
  | "malformed_length"
  | "topic_too_long";

const CONNECT = 0x10;
const PUBLISH = 3;
/** The bits of a PUBLISH's QoS. */
const QOS = 0b110;
const NOTHING = Buffer.alloc(0);
const LONGEST_TOPIC = 4_096;
/**
 * Packets other than messages (which have a pace) that pass in one turn of the event loop: 64 KiB hold 32,000 pings,
 * and their handling would not let anybody else in between.
 */
const PACKETS_AT_ONCE = 1_000;

/** The state of one connection's incoming packets. */
export class FrameGuard {
  readonly #options: ConstructorParameters<typeof FrameGuard>[0];
  #limit: number;
  #publishLimit: number;
  #accepted = false;
  #seenConnect = false;
  #violated = false;
  /** First bytes of a fixed header that is not complete yet. */
  #stash = NOTHING;
  /** Bytes of the present packet that are still to come. */
  #remaining = 0;
  #rest: Buffer | null = null;
  #skipping: { readonly first: number; readonly bytes: number; head: Buffer } | null = null;

  constructor(options: {
    /** Largest packet before {@link FrameGuard.accept}, bytes. */
    readonly connectBytes: number;
    /**
     * Messages of QoS 1 and 2 that pass in one turn of the event loop: 64 KiB hold a thousand, and reading could stop
     * only after the last of them.
     */
    readonly messagesAtOnce: number;
    readonly onSkipped: (publish: SkippedPublish) => void;
    /** Called once; nothing passes afterwards. */
    readonly onViolation: (violation: Violation) => void;
  }) {
    this.#options = options;
    this.#limit = options.connectBytes;
    this.#publishLimit = options.connectBytes;
  }

  /**
   * The client is accepted: packets of up to `limitBytes` pass from now on, and its PUBLISH up to `publishBytes`.
   * Packets other than PUBLISH are short, and expensive when they are not.
   */
  accept(limitBytes: number, publishBytes = limitBytes): void {
    this.#accepted = true;
    this.#limit = limitBytes;
    this.#publishLimit = publishBytes;
  }

  /** The rest of the last chunk to be filtered in a later turn; null if there is none. Once. */
  takeRest(): Buffer | null {
    const rest = this.#rest;
    this.#rest = null;
    return rest;
  }

  /** The part of `chunk` that the parser may see now; see {@link takeRest}. */
  filter(chunk: Buffer): Buffer {
    if (this.#violated) return NOTHING;
    const { messagesAtOnce } = this.#options;
    let packets = 0;
    let messages = 0;
    const data = this.#stash.length > 0 ? Buffer.concat([this.#stash, chunk]) : chunk;
    this.#stash = NOTHING;
    const kept: Buffer[] = [];
    let keptFrom = 0;
    let at = 0;
    while (at < data.length && !this.#violated) {
      if (this.#remaining > 0) {
        const step = Math.min(this.#remaining, data.length - at);
        if (this.#skipping) {
          this.#skip(data.subarray(at, at + step));
          keptFrom = at + step;
        }
        at += step;
        this.#remaining -= step;
        if (this.#remaining === 0) this.#endOfPacket();
        continue;
      }
      const header = readFixedHeader(data, at);
      if (header === "incomplete") {
        this.#stash = Buffer.from(data.subarray(at)); // a copy: at most four bytes must not keep the chunk alive
        break;
      }
      if (header === "malformed") {
        this.#violate("malformed_length");
        break;
      }
      const isPublish = header.first >> 4 === PUBLISH;
      if (isPublish ? (header.first & QOS) > 0 && ++messages > messagesAtOnce : ++packets > PACKETS_AT_ONCE) {
        this.#rest = data.subarray(at);
        break;
      }
      this.#begin(header);
      if (this.#skipping) {
        if (at > keptFrom) kept.push(data.subarray(keptFrom, at));
        keptFrom = at + header.bytes;
      }
      at += header.bytes;
    }
    if (this.#violated) return NOTHING;
    if (keptFrom === 0 && at === data.length) return data;
    if (at > keptFrom) kept.push(data.subarray(keptFrom, at));
    return kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
  }

  #begin(header: { readonly first: number; readonly length: number }): void {
    const { first, length } = header;
    this.#remaining = length;
    if (!this.#seenConnect && first !== CONNECT) this.#violate("connect_expected");
    this.#seenConnect = true;
    const isPublish = first >> 4 === PUBLISH;
    if (length <= (isPublish ? this.#publishLimit : this.#limit) || this.#violated) return;
    if (!this.#accepted) this.#violate("connect_too_large");
    else if (isPublish) this.#skipping = { first, bytes: length, head: NOTHING };
    else this.#violate("packet_too_large");
  }

  /** Keeps enough of the skipped packet to read its topic and packet identifier. */
  #skip(part: Buffer): void {
    const skipping = this.#skipping;
    if (skipping === null) return;
    const wanted = skipping.head.length < 2 ? 2 : headLength(skipping.head, skipping.first);
    if (wanted > LONGEST_TOPIC) this.#violate("topic_too_long");
    else if (skipping.head.length < wanted) {
      const missing = part.subarray(0, wanted - skipping.head.length);
      skipping.head = Buffer.concat([skipping.head, missing]);
      if (missing.length < part.length) this.#skip(part.subarray(missing.length));
    }
  }

  #endOfPacket(): void {
    const skipped = this.#skipping;
    this.#skipping = null;
    if (skipped === null || this.#violated) return;
    const qos = (skipped.first >> 1) & 3;
    const topicEnd = 2 + skipped.head.readUInt16BE(0);
    this.#options.onSkipped({
      topic: skipped.head.toString("utf8", 2, topicEnd),
      qos,
      packetId: qos > 0 ? skipped.head.readUInt16BE(topicEnd) : null,
      bytes: skipped.bytes,
    });
  }

  #violate(violation: Violation): void {
    this.#violated = true;
    this.#options.onViolation(violation);
  }
}

function headLength(head: Buffer, first: number): number {
  return 2 + head.readUInt16BE(0) + (((first >> 1) & 3) > 0 ? 2 : 0);
}

function readFixedHeader(
  data: Buffer,
  at: number,
): { first: number; length: number; bytes: number } | "incomplete" | "malformed" {
  let length = 0;
  for (let index = 0; index < 4; index++) {
    const byte = data[at + 1 + index];
    if (byte === undefined) return "incomplete";
    length += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return { first: data[at] ?? 0, length, bytes: index + 2 };
  }
  return "malformed"; // MQTT 3.1.1 §2.2.3: four bytes at most
}

/** A valve on a guarded stream. */
export interface ReadValve {
  /** Stops handing data to the parser; the kernel's window then stops the sender. */
  pause(): void;
  resume(): void;
}

/** Puts `guard` between `stream` and its reader; the parser does not notice. `inflow` counts what is read. */
export function guardReads(stream: Duplex, guard: FrameGuard, inflow: Inflow): ReadValve {
  const read = stream.read.bind(stream);
  let paused = false;
  let rest: Buffer | null = null;
  let resting = false;
  const lookAgain = (): void => {
    if (!paused && !stream.destroyed) stream.emit("readable"); // the parser is not triggered otherwise
  };
  stream.read = (size?: number) => {
    if (size === 0) return read(0); // the stream asking itself for more, no data comes out
    if (paused || resting) return null;
    const chunk: unknown = rest ?? read(size);
    rest = null;
    if (!Buffer.isBuffer(chunk)) return chunk;
    inflow.add(chunk.length);
    const passed = guard.filter(chunk);
    rest = guard.takeRest();
    resting = rest !== null; // the parser asks for more during its run, and must not get it
    if (resting)
      setImmediate(() => {
        resting = false;
        lookAgain();
      });
    return passed;
  };
  return {
    pause: () => {
      paused = true;
    },
    resume: () => {
      if (!paused) return;
      paused = false;
      setImmediate(lookAgain);
    },
  };
}
