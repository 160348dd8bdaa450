/**
 * Holds the streams that the windows of a browser share, one for each path. A stream lives as long as any window that
 * has joined it; events for a frozen window are queued.
 */
import { type Asked, OPENED, type Passed, positionIn } from "./stream.ts";

/** The part of a shared worker's scope that is used here; the console's other types are a page's. */
declare const self: { onconnect: ((event: MessageEvent) => void) | null };

/** A stream that has not come back by then is opened anew. */
const STUCK_MS = 12_000;
/**
 * A stream whose first attempt fails is opened anew after these times; then the browser's own attempts go on, three
 * seconds apart. Where a person has gone past the warning of the hub's certificate, a worker's new connection may be
 * refused while the page, whose connections stand, is well.
 */
const SOON_MS = [150, 500, 1_200];

const streams = new Map<string, SharedStream>();

self.onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  let joined: SharedStream | undefined;
  port.onmessage = ({ data }: MessageEvent<Asked>) => {
    if ("join" in data) {
      joined = streams.get(data.join) ?? new SharedStream(data.join);
      streams.set(data.join, joined);
      joined.join(port, data.who, data.kinds);
    } else if ("hear" in data) joined?.hear(data.hear);
    else joined?.leave(port);
  };
};

/** One stream and the windows that it is for. */
class SharedStream {
  readonly #path: string;
  readonly #windows = new Set<MessagePort>();
  readonly #kinds = new Set<string>();
  #source: EventSource | null = null;
  #openedFor = "";
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  join(port: MessagePort, who: string, wanted: readonly string[]): void {
    this.#windows.add(port);
    for (const kind of wanted) this.hear(kind);
    const source = this.#source;
    if (source === null || source.readyState === EventSource.CLOSED || who !== this.#openedFor) this.#open(who);
    else if (source.readyState === EventSource.OPEN) send(port, { state: "open", position: null });
  }

  leave(port: MessagePort): void {
    this.#windows.delete(port);
    if (this.#windows.size > 0) return;
    clearTimeout(this.#watch);
    this.#source?.close();
    this.#source = null;
  }

  hear(kind: string): void {
    if (this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    if (this.#source !== null) this.#listen(this.#source, kind);
  }

  #open(who: string, attempt = 0): void {
    clearTimeout(this.#watch);
    this.#source?.close();
    this.#openedFor = who;
    const source = new EventSource(this.#path);
    this.#source = source;
    let wasOpen = false;
    source.addEventListener(OPENED, ({ data }: MessageEvent<string>) => {
      wasOpen = true;
      clearTimeout(this.#watch);
      this.#sendAll({ state: "open", position: positionIn(data) });
    });
    source.onerror = () => {
      const isClosed = source.readyState === EventSource.CLOSED;
      clearTimeout(this.#watch);
      const soon = wasOpen ? undefined : SOON_MS[attempt];
      // an attempt of the browser's may hang in a connection that an outage has left half open
      if (!isClosed)
        this.#watch = setTimeout(() => source === this.#source && this.#open(who, attempt + 1), soon ?? STUCK_MS);
      this.#sendAll({ state: isClosed ? "closed" : "lost" });
    };
    for (const kind of this.#kinds) this.#listen(source, kind);
  }

  #listen(to: EventSource, kind: string): void {
    to.addEventListener(kind, ({ data }: MessageEvent<string>) => this.#sendAll({ kind, data }));
  }

  #sendAll(message: Passed): void {
    for (const port of this.#windows) send(port, message);
  }
}

function send(port: MessagePort, message: Passed): void {
  port.postMessage(message);
}
