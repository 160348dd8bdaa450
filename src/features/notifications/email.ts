import { lookup } from "node:dns";
import { isIP, Socket } from "node:net";
import { filteringLookup, type Resolve, refusedAddress, type TargetPolicy } from "../../core/kernel/target.ts";
import type { Message } from "./message.ts";
import { DELIVERED, type Outcome } from "./outcome.ts";

/** A mail server, as owners set it up. */
export interface EmailSettings {
  readonly host: string;
  readonly port: number;
  /**
   * `tls`: encrypted from the start (465); `starttls`: encrypted after the greeting, or nothing is sent (587); `none`:
   * unencrypted, without a password.
   */
  readonly security: "tls" | "starttls" | "none";
  readonly user: string | null;
  /** The sender's address. */
  readonly from: string;
  /** Whether the gate's picture is attached. */
  readonly pictures: boolean;
}

/** What {@link sendEmail} needs besides the message. */
export interface EmailTarget extends EmailSettings {
  readonly password: string | null;
  readonly to: string;
  readonly consoleUrl: string | null;
  readonly targets: TargetPolicy;
  readonly timeoutMs: number;
  /** Ends the attempt early. */
  readonly signal: AbortSignal;
  /** For tests. */
  readonly resolve?: Resolve | undefined;
  readonly trusted?: string | undefined;
}

/** Sends a message by SMTP, over a connection of its own. Never rejects. */
export async function sendEmail(message: Message, target: EmailTarget): Promise<Outcome> {
  const { host, port, security, timeoutMs, trusted } = target;
  const address = await addressOf(target);
  if (typeof address !== "string") return address;
  const { createTransport } = await import("nodemailer"); // most hubs never need it
  const socket = new BoundedSocket();
  const watch = setInterval(() => socket.check(socket.bytesRead), LOOK_MS);
  const transport = createTransport({
    socket,
    host: address, // already checked: the library must not look the name up again
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(target.user === null || target.password === null ? {} : { auth: { user: target.user, pass: target.password } }),
    tls: { ...(isIP(host) === 0 ? { servername: host } : {}), ...(trusted === undefined ? {} : { ca: trusted }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: 2 * timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    return await Promise.race([transport.sendMail(mailOf(message, target)).then(() => DELIVERED), givenUp(target)]);
  } catch (error) {
    return outcomeOf(error);
  } finally {
    clearInterval(watch);
    transport.close();
    socket.destroy();
  }
}

/** A server's greeting, certificates and responses are some kilobytes. */
const MOST_BYTES = 65_536;
/** Encrypted data bypasses the socket and is counted this often. */
const LOOK_MS = 10;

/**
 * A connection that ends when the server sends more than a conversation takes. The library queues every line, and each
 * costs the event loop more than the previous one.
 */
class BoundedSocket extends Socket {
  #bytes = 0;

  check(bytes: number): void {
    if (bytes > MOST_BYTES) this.destroy(new Error("the server sends too much"));
  }

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    this.#bytes += chunk?.length ?? 0;
    this.check(this.#bytes);
    return this.destroyed ? false : super.push(chunk, encoding);
  }
}

/** A server that answers in small pieces blocks the queue for at most this long. */
const LONGEST_MS = 45_000;

function givenUp({ signal }: EmailTarget): Promise<Outcome> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  const outcome: Outcome = {
    result: "retry",
    words: { code: "notify.away", why: `no answer within ${LONGEST_MS / 1000} s` },
  };
  return new Promise((resolve) => {
    if (limit.aborted) resolve(outcome);
    else limit.addEventListener("abort", () => resolve(outcome), { once: true });
  });
}

function mailOf(message: Message, { from, to, consoleUrl, pictures }: EmailTarget) {
  const lines = [
    message.body === "" ? message.title : message.body,
    message.moment,
    ...(consoleUrl === null ? [] : [consoleUrl + message.path]),
  ];
  const picture = pictures ? message.picture : null;
  return {
    from: { name: "Gatehouse", address: from },
    to,
    subject: message.title,
    text: `${lines.join("\n\n")}\n\n-- \n${message.footer}\n`,
    headers: { "Auto-Submitted": "auto-generated" },
    ...(message.urgent ? { priority: "high" as const } : {}),
    attachments: picture === null ? [] : [{ filename: "gate.jpg", content: picture.jpeg, contentType: "image/jpeg" }],
  };
}

/** The address to connect to, or the reason for refusal. */
function addressOf({ host, port, targets, resolve = lookup }: EmailTarget): Promise<string | Outcome> {
  if (isIP(host) !== 0) {
    const refused = refusedAddress(host, port, targets);
    return Promise.resolve(
      refused === null ? host : { result: "rejected", words: { code: "notify.refused", why: refused } },
    );
  }
  return new Promise((settle) => {
    filteringLookup(resolve, port, targets)(host, {}, (error, address) => {
      if (error === null && typeof address === "string") return settle(address);
      const why = error?.message ?? "";
      const [, refused] = /^refused: (.*)/.exec(why) ?? [];
      if (refused !== undefined) settle({ result: "rejected", words: { code: "notify.refused", why: refused } });
      else
        settle({
          result: "retry",
          words: { code: "notify.away", why: error?.code === "ENOTFOUND" ? "the name is not known" : why },
        });
    });
  });
}

/** The outcome behind a failure of the library. */
function outcomeOf(error: unknown): Outcome {
  const { code, responseCode, response, message } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
    message?: string;
  }; // nodemailer's errors
  const why = (response ?? message ?? String(error)).replace(/\p{Cc}+/gu, " ").slice(0, 160);
  if (code === "EAUTH") return { result: "retry", words: { code: "notify.mailLogin", why } };
  if (code === "ETLS" || /certificate|SSL|TLS/i.test(message ?? ""))
    return { result: "retry", words: { code: "notify.mailEncryption", why } };
  if (responseCode !== undefined)
    return { result: responseCode >= 500 ? "rejected" : "retry", words: { code: "notify.mailAnswer", why } };
  return { result: "retry", words: { code: "notify.away", why } };
}
