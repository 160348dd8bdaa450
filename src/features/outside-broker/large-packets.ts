import { Transform, type TransformCallback } from "node:stream";

const PUBLISH = 3;
/** At most four bytes of length, after the byte of the type. */
const LONGEST_HEADER = 5;
/** A topic with its length, and the packet's identifier. */
const MOST_OF_START = 2 + 65_535 + 2;

/** Prefixes the topic of a message that was too large. No broker sends it: clients' topics do not begin with `$`. */
export const TOO_LARGE = "$too-large/";

/** The state of a packet that is too large. */
interface LargePacket {
  readonly kind: number;
  /** Its first bytes, of which `filled` have arrived. */
  readonly start: Buffer;
  filled: number;
}

/**
 * A broker's output, without messages that are too large: each is replaced by one without payload whose topic begins
 * with {@link TOO_LARGE}, so that it is acknowledged in its turn and does not come again. Other packets of that size
 * are left out. MQTT 3.1.1 cannot announce a limit to a broker, and the client library buffers a whole packet before it
 * can be inspected.
 */
export class LargePackets extends Transform {
  readonly #limit: number;
  readonly #version: "5" | "3.1.1";
  /** An unfinished header. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the current packet that are still to come. */
  #left = 0;
  /** The current packet, if it is too large; else null. */
  #large: LargePacket | null = null;

  /** `limit`: the largest packet that passes, bytes after its header. */
  constructor(limit: number, version: "5" | "3.1.1") {
    super();
    this.#limit = limit;
    this.#version = version;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    let passed = 0; // everything before this was passed on, or left out
    while (at < bytes.length) {
      if (this.#left === 0) {
        const header = headerAt(bytes, at);
        if (header === null) break;
        if (header.length > this.#limit) {
          this.#pass(bytes.subarray(passed, at));
          this.#large = { kind: bytes[at] ?? 0, start: Buffer.alloc(MOST_OF_START), filled: 0 };
          passed = at + header.size;
        }
        at += header.size;
        this.#left = header.length;
        continue;
      }
      const end = Math.min(bytes.length, at + this.#left);
      this.#left -= end - at;
      if (this.#large !== null) {
        this.#collect(this.#large, bytes.subarray(at, end));
        passed = end;
      }
      at = end;
    }
    this.#pass(bytes.subarray(passed, at));
    this.#rest = bytes.subarray(at);
    done();
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.push(bytes);
  }

  #collect(large: LargePacket, bytes: Buffer): void {
    large.filled += bytes.copy(large.start, large.filled);
    if (this.#left > 0) return;
    this.#large = null;
    if (large.kind >> 4 === PUBLISH) this.push(this.#placeholder(large.kind, large.start.subarray(0, large.filled)));
  }

  /** The message without its payload. */
  #placeholder(kind: number, start: Buffer): Buffer {
    const topicEnd = 2 + start.readUInt16BE(0);
    const topic = Buffer.concat([Buffer.from(TOO_LARGE), start.subarray(2, topicEnd)]).subarray(0, 65_535);
    const hasIdentifier = ((kind >> 1) & 3) > 0;
    const properties = this.#version === "5" ? Buffer.from([0]) : Buffer.alloc(0);
    const topicLength = Buffer.alloc(2);
    topicLength.writeUInt16BE(topic.length);
    const body = Buffer.concat([
      topicLength,
      topic,
      hasIdentifier ? start.subarray(topicEnd, topicEnd + 2) : Buffer.alloc(0),
      properties,
    ]);
    return Buffer.concat([Buffer.from([kind, ...lengthBytes(body.length)]), body]);
  }
}

/**
 * Size of the packet's header and length of the rest; null if it is not complete yet. A malformed one is left to the
 * library.
 */
function headerAt(bytes: Buffer, at: number): { readonly size: number; readonly length: number } | null {
  let length = 0;
  for (let n = 1; n < LONGEST_HEADER; n++) {
    const byte = bytes[at + n];
    if (byte === undefined) return null;
    length += (byte & 127) * 128 ** (n - 1);
    if (byte < 128) return { size: n + 1, length };
  }
  return { size: LONGEST_HEADER, length: 0 };
}

function lengthBytes(length: number): number[] {
  return length < 128 ? [length] : [(length % 128) | 128, ...lengthBytes(Math.floor(length / 128))];
}
