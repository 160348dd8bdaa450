import { write } from "node:fs";
import { isatty } from "node:tty";

/** Standard output as the log uses it. */
export interface LogOutput {
  readonly isTerminal: boolean;
  /** Writes outside the event loop, which never waits for the reader. */
  write(text: string): void;
  /**
   * Resolves when what waits is written, or cannot be, or after a second: the process is about to end, and a full disk
   * or a reader that has stopped must not keep it. Never rejects.
   */
  flush(): Promise<void>;
}

const STANDARD_OUTPUT = 1;
/**
 * Maximum bytes waiting for a reader that has stopped (a terminal, the journal on a card that pauses); further lines
 * are dropped.
 */
const MOST_WAITING = 1_048_576;
const FLUSH_MS = 1_000;
/** How soon a reader that takes no more just now is tried again. */
const AGAIN_MS = 100;

/** Opens standard output. */
export function openLogOutput(): LogOutput {
  let waiting = "";
  let isWriting = false;
  let flushed = (): void => {};
  const next = (): void => {
    if (waiting === "") {
      isWriting = false;
      flushed();
      return;
    }
    isWriting = true;
    const piece = Buffer.from(waiting);
    waiting = "";
    send(piece, next);
  };
  return {
    isTerminal: isatty(STANDARD_OUTPUT),
    write: (text) => {
      if (waiting.length + text.length > MOST_WAITING) return;
      waiting += text;
      if (!isWriting) next();
    },
    flush: () =>
      new Promise((resolve) => {
        flushed = resolve;
        setTimeout(resolve, FLUSH_MS);
        if (!isWriting) next();
      }),
  };
}

/**
 * Output that a full disk or a vanished reader does not take is lost: the hub continues, and the console has its own
 * log.
 */
function send(piece: Buffer, done: () => void): void {
  write(STANDARD_OUTPUT, piece, (error, count) => {
    if (error?.code === "EAGAIN") setTimeout(() => send(piece, done), AGAIN_MS).unref();
    else if (error === null && count < piece.length) send(piece.subarray(count), done);
    else done();
  });
}
