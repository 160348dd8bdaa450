import type { ServerResponse } from "node:http";
import type { Clock } from "../kernel/clock.js";
import type { EventSink } from "./exchange.js";

const HEARTBEAT_MS = 15_000;
/** Bytes that may wait for a slow reader; past it the stream is closed and the reader comes again. */
const MOST_BUFFERED_BYTES = 131_072;
/** Streams of one session or key: a household has more tabs open than it knows. */
const MOST_EACH = 10;
const MOST_IN_ALL = 128;
/** A stream that gives way to a newer one is opened again by its browser, not before this time: tabs must not push each other out in turns. */
const COME_AGAIN_MS = 60_000;

/** The open server-sent-event streams: bounded for each owner and in all, kept alive, closed together when the hub stops. */
export class EventStreams {
  readonly #clock: Clock;
  /** The owner of each, oldest stream first. */
  readonly #open = new Map<EventSink, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Turns `response` (head already written) into a stream until either side ends it. `owner`: whose it is, a session or a key; past ten
   * of one owner its oldest stream ends, past the hub's bound the oldest of whoever has most.
   */
  run(response: ServerResponse, begin: (sink: EventSink) => () => void, owner = ""): void {
    this.#makeRoom(owner);
    let undo: (() => void) | null = null;
    let isClosed = false;
    const write = (text: string): void => {
      if (isClosed) return;
      response.write(text);
      if (response.writableLength > MOST_BUFFERED_BYTES) close();
    };
    const sink: EventSink = {
      send: (event, data, id) => write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      close: (comeAgainMs) => {
        if (comeAgainMs !== undefined) write(`retry: ${comeAgainMs}\n\n`);
        close();
      },
    };
    const heartbeat = this.#clock.every(HEARTBEAT_MS, () => write(": still here\n\n"));
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      heartbeat.stop();
      this.#open.delete(sink);
      undo?.();
      if (response.writableLength > MOST_BUFFERED_BYTES) response.destroy();
      else response.end();
    };
    this.#open.set(sink, owner);
    response.on("close", close);
    response.write("retry: 2000\n\n");
    undo = begin(sink);
    if (isClosed) undo(); // the reader went away, or the handler closed, before it could be undone
  }

  closeAll(): void {
    for (const sink of [...this.#open.keys()]) sink.close();
  }

  #makeRoom(newcomer: string): void {
    const counts = new Map<string, number>();
    for (const owner of this.#open.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const [most] = [...counts].sort((one, other) => other[1] - one[1]);
    const owner = (counts.get(newcomer) ?? 0) >= MOST_EACH ? newcomer : this.#open.size >= MOST_IN_ALL ? most?.[0] : undefined;
    const oldest = [...this.#open].find(([, whose]) => whose === owner);
    oldest?.[0].close(COME_AGAIN_MS);
  }
}
