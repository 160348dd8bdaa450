/** Longest line of a server: its greeting, which names the other servers of a cluster. */
const MOST_LINE_BYTES = 16_384;
/** Largest message: four times what the estate's own servers accept. */
const MOST_MESSAGE_BYTES = 1_048_576;
/** The two bytes that follow a message. */
const LINE_END_BYTES = 2;
const LINE_FEED = 0x0a;
const LINE = /^(?:INFO|PING|PONG|\+OK|-ERR|H?MSG)(?:[ \t].*)?\r?$/is;
const SIZE = /^\d{1,9}$/;

/**
 * A NATS server's output (https://docs.nats.io/reference/reference-protocols/nats-protocol), only as far as its
 * lengths: the client library buffers a line until it ends, a message of 64 MB, and whatever follows something that it
 * does not understand.
 */
export class ServerFrames {
  /** The unfinished line. */
  #line = Buffer.alloc(0);
  /** Bytes of the present message that are still to come. */
  #left = 0;
  /** Lines that have ended. */
  lines = 0;

  /** Looks at the next bytes; returns what is wrong with them, or null. Call it no more after that. */
  take(bytes: Buffer): string | null {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, bytes.length - at);
        this.#left -= step;
        at += step;
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      const part = bytes.subarray(at, end < 0 ? bytes.length : end);
      if (this.#line.length + part.length > MOST_LINE_BYTES) return "a line without an end";
      this.#line = Buffer.concat([this.#line, part]);
      if (end < 0) return null;
      const wrong = this.#lineEnded(this.#line.toString("latin1"));
      if (wrong !== null) return wrong;
      this.#line = Buffer.alloc(0);
      at = end + 1;
    }
    return null;
  }

  #lineEnded(line: string): string | null {
    this.lines += 1;
    if (!LINE.test(line)) return "not the protocol of NATS";
    if (!/^H?MSG/i.test(line)) return null;
    const size = line.trimEnd().split(/[ \t]/).at(-1) ?? "";
    if (!SIZE.test(size) || Number(size) > MOST_MESSAGE_BYTES) return "a message that is too large";
    this.#left = Number(size) + LINE_END_BYTES;
    return null;
  }
}
