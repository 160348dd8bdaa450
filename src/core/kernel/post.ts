import { lookup } from "node:dns";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { detailEnglish } from "../text/english.ts";
import { filteringLookup, portOf, type Resolve, refusedUrl, type TargetPolicy } from "./target.ts";

/** The outcome of one POST. */
export interface ReceiverResponse {
  /** A 2xx came in time. */
  readonly ok: boolean;
  /** Status of the answer; null when none came. */
  readonly status: number | null;
  /** Time from the first step to the answer's headers, or to giving up. */
  readonly tookMs: number;
  /** What went wrong, in words; null when ok. */
  readonly error: string | null;
  readonly retryAfter: string | undefined;
  /** The beginning of the answer's body; empty unless {@link PosterOptions.keepBytes} asks for it. */
  readonly text: string;
}

/** Dependencies of {@link Poster}. */
export interface PosterOptions {
  readonly targets: TargetPolicy;
  /** Limits name lookup, connection, TLS and headers together. */
  readonly timeoutMs: number;
  /** For tests; the system's resolver unless given. */
  readonly resolve?: Resolve;
  /** Further trusted certificate authorities (PEM); the system's only unless given. */
  readonly trusted?: string;
  /** How much of an answer's body is kept, to show why it was refused; nothing unless given. */
  readonly keepBytes?: number;
}

const MOST_BODY_BYTES = 65_536;
/** How much a receiver may send after its headers before the connection is cut. */
const LONGEST_BODY_MS = 500;
/** Idle connections are kept this long for the next delivery. */
const IDLE_MS = 10_000;

/** Posts to one receiver, over a connection that is kept open in between. Never follows redirects. */
export class Poster {
  readonly #options: PosterOptions;
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 1, timeout: IDLE_MS });
  readonly #https: HttpsAgent;

  constructor(options: PosterOptions) {
    this.#options = options;
    this.#https = new HttpsAgent({
      keepAlive: true,
      maxSockets: 1,
      timeout: IDLE_MS,
      ...(options.trusted === undefined ? {} : { ca: options.trusted }),
    });
  }

  /** Makes one attempt; never rejects. `signal` ends it early, which counts as no answer. */
  async post(
    url: string,
    headers: Record<string, string>,
    body: string | Uint8Array,
    signal: AbortSignal,
  ): Promise<ReceiverResponse> {
    const started = performance.now();
    const answer = (part: Partial<ReceiverResponse>): ReceiverResponse => ({
      ok: false,
      status: null,
      error: null,
      retryAfter: undefined,
      text: "",
      tookMs: Math.round(performance.now() - started),
      ...part,
    });
    const refused = refusedUrl(url, this.#options.targets);
    if (refused !== null) return answer({ error: `refused: ${detailEnglish(refused)}` });
    for (let tries = 0; ; tries++) {
      const outcome = await this.#once({
        url: new URL(url),
        headers,
        body,
        signal,
        leftMs: this.#options.timeoutMs - (performance.now() - started),
      });
      // A kept-alive connection that the receiver had already closed reveals nothing about the receiver.
      if (outcome.staleConnection && tries === 0) continue;
      if (outcome.status === null) return answer({ error: outcome.error });
      const ok = outcome.status >= 200 && outcome.status <= 299;
      return answer({
        ok,
        status: outcome.status,
        error: ok ? null : `answered ${outcome.status}`,
        retryAfter: outcome.retryAfter,
        text: outcome.text,
        tookMs: Math.round(outcome.headersAt - started),
      });
    }
  }

  /** Closes the kept connections. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #once(attempt: {
    url: URL;
    headers: Record<string, string>;
    body: string | Uint8Array;
    signal: AbortSignal;
    leftMs: number;
  }): Promise<Outcome> {
    const { url, headers, body, signal, leftMs } = attempt;
    const secure = url.protocol === "https:";
    const { targets, resolve = lookup, timeoutMs } = this.#options;
    const failed = (error: Error, staleConnection = false): Outcome => ({
      status: null,
      retryAfter: undefined,
      text: "",
      headersAt: performance.now(),
      error: describe(error),
      staleConnection,
    });
    return new Promise<Outcome>((settle) => {
      const request = (secure ? httpsRequest : httpRequest)(url, {
        method: "POST",
        agent: secure ? this.#https : this.#http,
        headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
        lookup: filteringLookup(resolve, portOf(url), targets),
        signal,
      });
      const deadline = setTimeout(
        () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
        Math.max(1, leftMs),
      );
      let answered = false;
      request.on("response", (response) => {
        answered = true;
        clearTimeout(deadline);
        const outcome = {
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"],
          headersAt: performance.now(),
          error: null,
          staleConnection: false,
        };
        discard(response, this.#options.keepBytes ?? 0, (text) => settle({ ...outcome, text }));
      });
      request.on("error", (error) => {
        if (answered) return; // cut while its body was being discarded
        clearTimeout(deadline);
        settle(failed(error, request.reusedSocket && codeOf(error) === "ECONNRESET"));
      });
      // An upgrade response (101) closes the connection with neither a response nor an error.
      request.on("close", () => {
        if (answered) return;
        clearTimeout(deadline);
        settle(failed(new Error("the receiver closed the connection without an answer")));
      });
      request.end(body);
    }).catch((error: Error) => failed(error)); // a header that HTTP cannot carry
  }
}

interface Outcome {
  readonly status: number | null;
  readonly retryAfter: string | undefined;
  readonly text: string;
  readonly headersAt: number;
  readonly error: string | null;
  readonly staleConnection: boolean;
}

/**
 * Reads and discards a body, up to a limit in size and time; then cuts the connection. Returns its first `keepBytes`.
 */
function discard(response: IncomingMessage, keepBytes: number, done: (text: string) => void): void {
  let bytes = 0;
  let kept = Buffer.alloc(0);
  const cut = setTimeout(() => response.destroy(), LONGEST_BODY_MS);
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (kept.length < keepBytes) kept = Buffer.concat([kept, chunk.subarray(0, keepBytes - kept.length)]);
    if (bytes > MOST_BODY_BYTES) response.destroy();
  });
  response.on("error", () => {}); // the status has been seen; how the body ends does not matter
  response.on("close", () => {
    clearTimeout(cut);
    done(kept.toString());
  });
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

const IN_WORDS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the receiver closed the connection without an answer",
  ENOTFOUND: "the name is not known",
  EAI_AGAIN: "the name could not be looked up",
  EHOSTUNREACH: "the receiver cannot be reached",
  ENETUNREACH: "the receiver's network cannot be reached",
  ETIMEDOUT: "the receiver cannot be reached",
  CERT_HAS_EXPIRED: "the receiver's certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the receiver's certificate is not trusted (self-signed)",
  SELF_SIGNED_CERT_IN_CHAIN: "the receiver's certificate is not trusted (self-signed)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the receiver's certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "the receiver's certificate is for another name",
};

function describe(error: Error): string {
  const code = codeOf(error);
  return (IN_WORDS[code] ?? (error.message === "" ? code : error.message)).slice(0, 200);
}
