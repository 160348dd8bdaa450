import { localAddresses } from "./network.ts";

/** The ports of a listener; 0 and null: not open. */
interface Listening {
  readonly port: number | null;
  readonly tlsPort: number | null;
}

/** This hub's addresses. Listeners and the responder register them; others read them when needed. */
export class OwnAddress {
  readonly #listeners: Listening[] = [];
  #web: Listening = { port: null, tlsPort: null };
  #responder: { readonly hostName: string } | null = null;

  /** A listener of the hub, asked for its ports each time. */
  listens(listener: Listening): void {
    this.#listeners.push(listener);
  }

  /** The listener of the console. */
  serves(web: Listening): void {
    this.listens(web);
    this.#web = web;
  }

  /** What responds to the hub's name on the network. */
  namedBy(responder: { readonly hostName: string }): void {
    this.#responder = responder;
  }

  /** The name in use, with a number if a neighbour had it first; null while the hub announces none. */
  get name(): string | null {
    return this.#responder?.hostName ?? null;
  }

  /** Port of https; null without TLS. */
  get httpsPort(): number | null {
    return this.#web.tlsPort || null;
  }

  get httpPort(): number | null {
    return this.#web.port || null;
  }

  /** The ports that this hub listens on: none of them may be the target of a call. */
  readonly ports = (): number[] =>
    this.#listeners.flatMap(({ port, tlsPort }) => [port, tlsPort]).filter((port): port is number => (port ?? 0) > 0);

  /** The address at which a phone at home finds the console; null without one. */
  consoleUrl(): string | null {
    const host = this.name ?? localAddresses().find((address) => /^\d+\./.test(address));
    if (host === undefined) return null;
    return this.httpsPort === null ? `http://${host}:${this.httpPort ?? 80}` : `https://${host}:${this.httpsPort}`;
  }
}
