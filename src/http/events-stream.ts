import type { ServerResponse } from "node:http";
import type { Clock } from "../kernel/clock.js";
import type { EventSink } from "./exchange.js";

const HEARTBEAT_MS = 15_000;
/** Bytes that may wait for a slow reader; past it the stream is closed and the reader comes again. */
const MOST_BUFFERED_BYTES = 262_144;

/** The open server-sent-event streams: bounded, kept alive, closed together when the hub stops. */
export class EventStreams {
  readonly #clock: Clock;
  readonly #open = new Set<EventSink>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Turns `response` (head already written) into a stream until either side ends it. */
  run(response: ServerResponse, begin: (sink: EventSink) => () => void): void {
    let undo: (() => void) | null = null;
    let isClosed = false;
    const write = (text: string): void => {
      if (isClosed) return;
      response.write(text);
      if (response.writableLength > MOST_BUFFERED_BYTES) close();
    };
    const sink: EventSink = {
      send: (event, data, id) => write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      close: () => close(),
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
    this.#open.add(sink);
    response.on("close", close);
    response.write("retry: 2000\n\n");
    undo = begin(sink);
    if (isClosed) undo(); // the reader went away, or the handler closed, before it could be undone
  }

  closeAll(): void {
    for (const sink of [...this.#open]) sink.close();
  }
}
