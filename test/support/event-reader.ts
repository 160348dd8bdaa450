import { get, type IncomingMessage } from "node:http";
import type { Test } from "tap";

/** One event as a stream delivered it. */
export interface ReadEvent {
  readonly id: string | null;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of many shapes
  readonly data: any;
}

/** A reader's credentials and options. */
export interface EventReaderOptions {
  readonly key?: string;
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reader of server-sent events over its own socket, which stores what arrives. */
export class EventReader {
  readonly status: number;
  readonly events: ReadEvent[] = [];
  /** The last `id` line, from which a client resumes. */
  lastId = "";
  /** Bytes of the response, of any kind. */
  bytes = 0;
  hasEnded = false;
  readonly #response: IncomingMessage;
  #rest = "";
  #wake: () => void = () => {};

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    response.setEncoding("utf8");
    response.on("error", () => {});
    response.on("data", (text: string) => this.#take(text));
    response.on("close", () => {
      this.hasEnded = true;
      this.#wake();
    });
  }

  /** Opens a stream; it is closed with the test. */
  static async open(
    t: Test,
    url: string,
    { key, lastEventId, headers = {} }: EventReaderOptions = {},
  ): Promise<EventReader> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const all = {
        ...headers,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      };
      get(url, { headers: all, agent: false }, resolve).on("error", reject);
    });
    const reader = new EventReader(response);
    t.teardown(() => reader.close());
    return reader;
  }

  /** The names of the events received. */
  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  /** Waits for a matching event. @throws Error when the stream ends, or after ten seconds. */
  async until(fits: (event: ReadEvent) => boolean, what = "an event"): Promise<ReadEvent> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const found = this.events.find(fits);
      if (found !== undefined) return found;
      if (this.hasEnded || Date.now() > deadline)
        throw new Error(`${what} did not come; there are ${this.names.join(", ")}: ${this.#rest}`);
      await this.#change();
    }
  }

  /** Waits for an event of a name. */
  named(name: string): Promise<ReadEvent> {
    return this.until(({ event }) => event === name, name);
  }

  /** Whether the hub ends it within `ms`. */
  async endsWithin(ms: number): Promise<boolean> {
    const deadline = Date.now() + ms;
    while (!this.hasEnded && Date.now() < deadline) await this.#change();
    return this.hasEnded;
  }

  /** The whole body of a response that is not a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: an error body, or whatever came
  async body(): Promise<any> {
    await this.endsWithin(5_000);
    return JSON.parse(this.#rest);
  }

  /** Reads no further until {@link resume}. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#response.destroy();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 50);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(text: string): void {
    this.bytes += text.length;
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) this.#read(block);
    this.#wake();
  }

  #read(block: string): void {
    const fields = block
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const);
    const field = (name: string): string | undefined => fields.find(([known]) => known === name)?.[1];
    const id = field("id") ?? null;
    if (id !== null) this.lastId = id;
    const data = field("data");
    if (data !== undefined) this.events.push({ id, event: field("event") ?? "message", data: JSON.parse(data) });
  }
}
