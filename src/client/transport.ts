import { errorOf, type HubError, HubUnreachable } from "./errors.ts";

/** How requests are made. */
export interface TransportOptions {
  /** Address of the hub, such as `https://gatehouse.local:8443`. */
  readonly url: string;
  /** API key; without one only public operations work. */
  readonly key?: string;
  /** Another `fetch`, for example one that trusts the hub's own authority or streams in React Native. */
  readonly fetch?: typeof fetch;
  /** How often a request is retried when the hub is busy or out of reach; default 3. */
  readonly retries?: number;
  /** How long one try may take, ms; default 15,000. */
  readonly timeoutMs?: number;
}

/** One request. */
export interface Call {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The longest wait before another try, ms; default 30,000. */
  readonly mostWaitMs?: number;
}

/** A complete answer. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
}

const LONGEST_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const BUSY = new Set([429, 502, 503, 504]);

/** Makes requests: with the key, a time limit, and retries where they can help and do no harm. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #base: string;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#base = withoutEndSlashes(options.url);
  }

  /** The JSON of an answer. @throws HubError, HubUnreachable */
  async json<Body>(method: string, path: string, call: Call = {}): Promise<Body> {
    return jsonOf<Body>(await this.answer(method, path, call));
  }

  /**
   * A 2xx answer. Everything that changes something carries an Idempotency-Key, so that a repeat does nothing twice.
   * @throws HubError, HubUnreachable
   */
  async answer(method: string, path: string, call: Call = {}): Promise<Answered> {
    const headers = method === "GET" ? call.headers : { "Idempotency-Key": newKey(), ...call.headers };
    const { retries = 3 } = this.#options;
    for (let tried = 0; ; tried++) {
      let failure: HubError | HubUnreachable;
      try {
        const response = await this.#once(method, path, { ...call, ...(headers === undefined ? {} : { headers }) });
        if (response.status >= 200 && response.status < 300) return response;
        failure = errorOf(response);
      } catch (error) {
        if (call.signal?.aborted) throw call.signal.reason;
        failure = new HubUnreachable("The hub did not answer.", { cause: error });
      }
      const waitMs = waitAfter(failure, tried);
      if (waitMs === null || tried >= retries || waitMs > (call.mostWaitMs ?? LONGEST_WAIT_MS)) throw failure;
      await pause(waitMs, call.signal);
    }
  }

  /** Opens an answer that lasts as long as both sides like; one try. @throws HubError, HubUnreachable */
  async open(path: string, call: Call & { readonly signal: AbortSignal }): Promise<Response> {
    let response: Response;
    try {
      response = await this.#fetch("GET", path, call, call.signal);
    } catch (error) {
      throw new HubUnreachable("The hub did not answer.", { cause: error });
    }
    if (!response.ok) throw errorOf(await whole(response));
    return response;
  }

  async #once(method: string, path: string, call: Call): Promise<Answered> {
    const controller = new AbortController();
    const stop = (): void => controller.abort(call.signal?.reason);
    const timer = setTimeout(() => controller.abort(new Error("too slow")), this.#options.timeoutMs ?? 15_000);
    if (call.signal?.aborted) stop();
    call.signal?.addEventListener("abort", stop);
    try {
      return await whole(await this.#fetch(method, path, call, controller.signal)); // the time limit covers all of it
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
  }

  #fetch(
    method: string,
    path: string,
    { query = {}, json, headers = {} }: Call,
    signal: AbortSignal,
  ): Promise<Response> {
    const { key, fetch: ask = fetch } = this.#options;
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    const mark = path.includes("?") ? "&" : "?";
    return ask(`${this.#base}${path}${given.length === 0 ? "" : mark + given.join("&")}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      redirect: "error", // the key is for this hub
      signal,
    });
  }
}

async function whole(response: Response): Promise<Answered> {
  return { status: response.status, headers: response.headers, bytes: await response.arrayBuffer() };
}

/** An answer's JSON, in the shape that the description defines. @throws SyntaxError */
export function jsonOf<Body>({ bytes }: Answered): Body {
  return JSON.parse(new TextDecoder().decode(bytes)) as Body; // the caller names the description's type
}

/** How long to wait before a failed request is retried; null: it would fail again. */
function waitAfter(failure: HubError | HubUnreachable, tried: number): number | null {
  const growing = FIRST_WAIT_MS * 2 ** tried * (0.75 + Math.random() / 2);
  if (failure instanceof HubUnreachable) return growing;
  const canHelp =
    (BUSY.has(failure.status) && failure.code !== "storage_full") || failure.code === "idempotency_in_progress";
  if (!canHelp) return null;
  return failure.retryAfterSeconds === null ? growing : failure.retryAfterSeconds * 1_000;
}

/** Waits; ends early, with the reason, when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** New for each change. React Native may have no `crypto`; the key is not secret. */
function newKey(): string {
  const { crypto: random } = globalThis as { crypto?: { randomUUID?: () => string } }; // not everywhere
  return random?.randomUUID?.() ?? Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 12)).join("");
}

function withoutEndSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}
