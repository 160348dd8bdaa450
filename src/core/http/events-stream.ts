import type { ServerResponse } from "node:http";
import type { Clock } from "../kernel/clock.ts";
import type { EventSink } from "./exchange.ts";

const HEARTBEAT_MS = 15_000;
/** Bytes that may wait for a slow reader; beyond that the stream is closed, and the reader reconnects. */
const MOST_BUFFERED_BYTES = 131_072;
/** A reader that takes nothing for this long, while data waits for it, is disconnected. */
const STALLED_MS = 30_000;
/** Streams of one session or key: a household has more tabs open than it knows. */
const MOST_EACH = 10;
const MOST_IN_ALL = 128;
/**
 * The browser reopens a stream that gave way to a newer one after this time at the earliest, so that tabs do not keep
 * pushing each other out.
 */
const COME_AGAIN_MS = 60_000;

/** The owner of a stream (a session or a key), and its reader's position once everything was sent. */
export interface StreamOf {
  readonly owner?: string | undefined;
  readonly position?: (() => string | null) | undefined;
}

/**
 * The open server-sent-event streams: bounded for each owner and in all, kept alive, closed together when the hub
 * stops.
 */
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
   * Turns `response` (head already written) into a stream until either side ends it. Beyond ten streams of one owner,
   * that owner's oldest is closed; beyond the hub's limit, the oldest of the owner with the most.
   */
  run(
    response: ServerResponse,
    begin: (sink: EventSink) => () => void,
    { owner = "", position = () => null }: StreamOf = {},
  ): void {
    this.#makeRoom(owner);
    const clock = this.#clock;
    let undo: (() => void) | null = null;
    let isClosed = false;
    let stalledMono: number | null = null;
    const isOver = (): boolean => isClosed || response.writableEnded; // ended from outside: its credential was
    const write = (text: string): void => {
      if (isOver()) return;
      response.write(text);
      if (response.writableLength > MOST_BUFFERED_BYTES) close();
    };
    const sink: EventSink = {
      send: (event: string, data: object, id?: string) =>
        write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      offer: (lines, onRoom) => {
        if (isOver()) return false;
        if (!response.writableNeedDrain) {
          response.write(lines);
          return true;
        }
        if (stalledMono !== null) return false; // it waits for room already
        stalledMono = clock.mono();
        response.once("drain", () => {
          stalledMono = null;
          if (!isOver()) onRoom();
        });
        return false;
      },
      close: (comeAgainMs) => {
        if (comeAgainMs !== undefined) write(`retry: ${comeAgainMs}\n\n`);
        close();
      },
    };
    const heartbeat = clock.every(HEARTBEAT_MS, () => {
      if (stalledMono !== null && clock.mono() - stalledMono >= STALLED_MS) response.destroy();
      if (response.writableNeedDrain) return;
      const at = position();
      write(at === null ? ": still here\n\n" : `: still here\nid: ${at}\n\n`);
    });
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
    const owner =
      (counts.get(newcomer) ?? 0) >= MOST_EACH ? newcomer : this.#open.size >= MOST_IN_ALL ? most?.[0] : undefined;
    const oldest = [...this.#open].find(([, whose]) => whose === owner);
    oldest?.[0].close(COME_AGAIN_MS);
  }
}
