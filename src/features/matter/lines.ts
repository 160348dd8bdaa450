/**
 * Messages between the hub and its Matter process: a line of JSON each, over a socket that both hold. Not Node's own
 * channel between processes: a line there that is not JSON, or has no end, ends the process that reads it, and an
 * attacker that takes over the Matter process must not be able to end the hub with it.
 */
import type { Socket } from "node:net";

/** Far above the longest message, the picture of a home or a device. */
const LONGEST_LINE = 4 * 1_048_576;
/** Maximum bytes unread by the other side. */
const MOST_UNREAD = 16 * 1_048_576;
const NEW_LINE = 10;

/** What {@link openLines} reports. */
export interface LinesListener {
  readonly take: (message: unknown) => void;
  /** The other side has sent an invalid message, or does not read; nothing more is taken from it. */
  readonly broken: (reason: string) => void;
}

/** Reads messages from `socket`. Returns a function that sends one; it returns false when the socket is closed. */
export function openLines(socket: Socket, { take, broken }: LinesListener): (message: object) => boolean {
  // One piece of memory for the begun line: kept apart, pieces of a byte each would take hundreds of times as much.
  let begun = Buffer.alloc(0);
  let length = 0;
  const keep = (part: Buffer): void => {
    if (length + part.length > begun.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * begun.length, length + part.length));
      begun.copy(larger, 0, 0, length);
      begun = larger;
    }
    part.copy(begun, length);
    length += part.length;
  };
  const end = (reason: string): void => {
    begun = Buffer.alloc(0);
    socket.destroy();
    broken(reason);
  };
  const takeLine = (line: Buffer): void => {
    let message: unknown;
    try {
      message = JSON.parse(line.toString());
    } catch {
      end("it sent a line that is no message");
      return;
    }
    take(message);
  };
  socket.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at !== -1 && !socket.destroyed; at = chunk.indexOf(NEW_LINE, from)) {
      const rest = chunk.subarray(from, at);
      from = at + 1;
      if (length === 0) takeLine(rest);
      else {
        keep(rest);
        const line = begun.subarray(0, length);
        begun = Buffer.alloc(0);
        length = 0;
        takeLine(line);
      }
    }
    if (socket.destroyed) return;
    keep(chunk.subarray(from));
    if (length > LONGEST_LINE) end("it sent a line without an end");
    // everything else of this process has its turn between two chunks
    socket.pause();
    setImmediate(() => socket.resume());
  });
  socket.on("error", () => {}); // its end follows
  return (message) => {
    if (!socket.writable) return false;
    socket.write(`${JSON.stringify(message)}\n`);
    if (socket.writableLength > MOST_UNREAD) end("it reads nothing");
    return true;
  };
}
