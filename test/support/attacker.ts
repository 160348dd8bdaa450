import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";

/** What came back for one request. */
export interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  readonly tookMs: number;
}

/**
 * One request on its own connection, from any loopback address (`127.0.0.x`).
 * @throws Error when the connection breaks or nothing comes in time
 */
export function ask(
  port: number,
  path: string,
  options: {
    readonly from?: string;
    readonly method?: string;
    readonly json?: unknown;
    readonly headers?: Record<string, string>;
    readonly limitMs?: number;
  } = {},
): Promise<Reply> {
  const { from = "127.0.0.2", json, headers = {}, limitMs = 30_000 } = options;
  const body = json === undefined ? "" : JSON.stringify(json);
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method: options.method ?? (json === undefined ? "GET" : "POST"),
        localAddress: from,
        agent: false,
        headers: {
          ...(json === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: text,
            tookMs: performance.now() - begun,
          }),
        );
        answer.on("error", reject);
      },
    );
    asked.on("error", reject);
    asked.setTimeout(limitMs, () => asked.destroy(new Error(`no answer in ${limitMs} ms`)));
    asked.end(body);
  });
}

/** A hostile client's connection: it reads only on command, never ends, and tolerates every error. */
export class Hostile {
  readonly socket: Socket;
  #text = "";

  constructor(port: number, from: string) {
    this.socket = connect({ port, host: "127.0.0.1", localAddress: from, allowHalfOpen: true });
    this.socket.on("error", () => {});
  }

  /** Resolves when it is connected; also if it was refused. */
  async open(): Promise<this> {
    if (this.socket.connecting)
      await Promise.race([once(this.socket, "connect").catch(() => {}), once(this.socket, "close")]);
    return this;
  }

  /** Reads from now on. */
  listen(): this {
    this.socket.on("data", (chunk) => (this.#text += chunk.toString("latin1")));
    return this;
  }

  send(data: string | Buffer): this {
    if (!this.socket.destroyed) this.socket.write(data);
    return this;
  }

  /** What it has read. */
  get text(): string {
    return this.#text;
  }

  /** Whether the hub has closed it, orderly or not. */
  get isOver(): boolean {
    return this.socket.closed || this.socket.readableEnded;
  }

  /** Resolves to true once the hub has closed it, or to false after `limitMs`. */
  async over(limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    while (!this.isOver && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    return this.isOver;
  }
}

/** Opens `count` connections, in turns from `addresses` different ones of 127.0.`net`.x, each of which sends `data`. */
export async function crowd(
  port: number,
  count: number,
  options: { net: number; addresses?: number; data?: string | Buffer; read?: boolean },
): Promise<Hostile[]> {
  const { net, addresses = 1, data, read = false } = options;
  const all: Hostile[] = [];
  while (all.length < count) {
    const some = Array.from(
      { length: Math.min(100, count - all.length) },
      (_, at) => new Hostile(port, `127.0.${net}.${((all.length + at) % addresses) + 1}`),
    );
    await Promise.all(some.map((one) => one.open()));
    for (const one of some) {
      if (read) one.listen();
      if (data !== undefined) one.send(data);
    }
    all.push(...some);
  }
  return all;
}

/** Ends them all. */
export function disperse(all: readonly Hostile[]): void {
  for (const { socket } of all) socket.destroy();
}
