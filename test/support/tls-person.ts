import { request } from "node:https";
import type { HubProcess } from "./hub-process.ts";

/** A response of the hub. */
export interface TlsAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly body: any;
}

/** A browser's connection to a hub over TLS, under any host name; keeps the session's cookie. */
export class TlsPerson {
  readonly #port: number;
  readonly #authority: string;
  cookie = "";

  private constructor(port: number, authority: string) {
    this.#port = port;
    this.#authority = authority;
  }

  /** A person whose browser trusts the hub's own authority. */
  static async at(hub: HubProcess): Promise<TlsPerson> {
    const port = Number(/https:\/\/[^\s:]+:(\d+)/.exec(hub.output())?.[1]);
    return new TlsPerson(port, await (await fetch(`${hub.url}/ca.crt`)).text());
  }

  /** The origin of pages under `name`. */
  origin(name: string): string {
    return `https://${name}:${this.#port}`;
  }

  /** Another person with the same trust. */
  other(): TlsPerson {
    return new TlsPerson(this.#port, this.#authority);
  }

  /** One JSON request from a page under `name`; the connection's certificate is checked for `certified`. */
  call(
    method: string,
    path: string,
    json?: object,
    { name = "gatehouse.local", certified = "gatehouse.local" } = {},
  ): Promise<TlsAnswer> {
    const body = json === undefined ? "" : JSON.stringify(json);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.#port,
          servername: certified,
          ca: this.#authority,
          method,
          path,
          headers: {
            Host: `${name}:${this.#port}`,
            ...(this.cookie === "" ? {} : { Cookie: this.cookie }),
            ...(json === undefined
              ? {}
              : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
          },
        },
        (response) => {
          let text = "";
          response.on("data", (chunk) => (text += String(chunk)));
          response.on("end", () => {
            const set = response.headers["set-cookie"]?.[0]?.split(";")[0];
            if (set !== undefined) this.cookie = set;
            resolve({ status: response.statusCode ?? 0, body: text.startsWith("{") ? JSON.parse(text) : {} });
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }
}
