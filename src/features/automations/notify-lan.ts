/**
 * Sends the messages of rules to one receiver on the LAN: an ntfy topic, or any server that takes a JSON POST. In:
 * messages. Out: HTTP requests, one at a time, without redirects, five seconds each. An absent receiver costs only the
 * messages it missed: they are in the feed anyway.
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";

/** Where and how messages go. */
export interface LanReceiver {
  /** `ntfy`: the URL of a topic, title in a header and body as text; `webhook`: `{"title","body","at"}` as JSON. */
  readonly kind: "ntfy" | "webhook";
  readonly url: string;
  /** Sent as `Authorization: Bearer …` when given. */
  readonly token?: string | null;
}

const TIMEOUT_MS = 5_000;
/** Messages that may wait for a slow receiver; the oldest is dropped first. */
const MAX_WAITING = 50;

interface Message {
  readonly title: string;
  readonly body: string;
}

/** Sends messages to the LAN receiver. */
export class LanNotifier {
  readonly #options: ConstructorParameters<typeof LanNotifier>[0];
  #waiting: Message[] = [];
  #busy = false;
  #sent = 0;
  #failed = 0;

  constructor(options: {
    /** The receiver as configured now; null: none. */
    readonly receiver: () => LanReceiver | null;
    readonly clock: Pick<Clock, "now">;
    readonly logger: Logger;
    readonly timeoutMs?: number;
  }) {
    this.#options = options;
  }

  /** Messages delivered, lost and waiting. */
  get figures(): { sent: number; failed: number; waiting: number } {
    return { sent: this.#sent, failed: this.#failed, waiting: this.#waiting.length };
  }

  /** Queues a message and returns at once; does nothing while no receiver is configured. */
  notify(message: Message): void {
    if (this.#options.receiver() === null) return;
    this.#waiting.push(message);
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#failed += 1;
    }
    if (!this.#busy) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const receiver = this.#options.receiver();
      if (receiver === null) break;
      try {
        const status = await post(receiver, this.#payload(receiver, message), this.#options.timeoutMs ?? TIMEOUT_MS);
        if (status < 200 || status > 299) throw new Error(`the receiver answered ${status}`);
        this.#sent += 1;
      } catch (error) {
        this.#failed += 1;
        this.#options.logger.warn({ err: error }, "a notification did not reach its receiver on the LAN");
      }
    }
    this.#busy = false;
  }

  #payload(receiver: LanReceiver, message: Message): { headers: Record<string, string>; body: string } {
    const authorization: Record<string, string> = receiver.token ? { Authorization: `Bearer ${receiver.token}` } : {};
    if (receiver.kind === "ntfy")
      return {
        headers: { ...authorization, "Content-Type": "text/plain; charset=utf-8", Title: headerText(message.title) },
        body: message.body,
      };
    const body = JSON.stringify({
      title: message.title,
      body: message.body,
      at: new Date(this.#options.clock.now()).toISOString(),
    });
    return { headers: { ...authorization, "Content-Type": "application/json" }, body };
  }
}

/** Headers carry ASCII: other text becomes an RFC 2047 encoded word, which ntfy decodes. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
}

/** Posts and resolves with the status; Node's client follows no redirects, and the answer's body is not read. */
function post(
  receiver: LanReceiver,
  payload: { headers: Record<string, string>; body: string },
  timeoutMs: number,
): Promise<number> {
  const url = new URL(receiver.url);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: "POST",
      headers: { ...payload.headers, "Content-Length": Buffer.byteLength(payload.body) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.on("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on("error", reject);
    // an upgrade response (101) closes the connection with neither a response nor an error
    request.on("close", () => reject(new Error("the receiver closed the connection without an answer")));
    request.end(payload.body);
  });
}
