import type { Poster } from "../../core/kernel/post.ts";
import type { Message } from "./message.ts";
import { answered, commonOutcome, type Outcome } from "./outcome.ts";

/** An ntfy server, as owners set it up. */
export interface NtfySettings {
  /** Address of the server, without a topic. */
  readonly server: string;
  /** Whether the gate's picture is attached. */
  readonly pictures: boolean;
}

/** What {@link sendNtfy} needs besides the message. */
export interface NtfyTarget extends NtfySettings {
  readonly topic: string;
  /** Access token; null if the server takes messages from anybody. */
  readonly token: string | null;
  /** Address of the console, opened by a tap on the message; null if none is known. */
  readonly consoleUrl: string | null;
}

const NORMAL = "3";
/** "High": it rings, even where a phone shows other messages silently. */
const HIGH = "4";

/**
 * Publishes a message (https://docs.ntfy.sh/publish/): text or picture as the body, all else in headers. Never rejects.
 */
export async function sendNtfy(
  poster: Poster,
  message: Message,
  target: NtfyTarget,
  signal: AbortSignal,
): Promise<Outcome> {
  const url = `${target.server.replace(/\/$/, "")}/${encodeURIComponent(target.topic)}`;
  const headers: Record<string, string> = {
    Title: headerText(message.title),
    Priority: message.urgent ? HIGH : NORMAL,
    ...(target.token === null ? {} : { Authorization: `Bearer ${target.token}` }),
    ...(target.consoleUrl === null ? {} : { Click: target.consoleUrl + message.path }),
  };
  const text = message.body === "" ? message.title : message.body;
  const plain = { ...headers, "Content-Type": "text/plain; charset=utf-8" };
  const picture = target.pictures ? message.picture : null;
  if (picture !== null) {
    const withPicture = {
      ...headers,
      Message: headerText(text.replaceAll("\n", "\\n")),
      Filename: "gate.jpg",
      "Content-Type": "image/jpeg",
    };
    const answer = await poster.post(url, withPicture, picture.jpeg, signal);
    // A server without room for attachments answers 400 or 413; its message is worth more than the picture.
    if (answer.status !== 400 && answer.status !== 413) return outcomeOf(answer);
  }
  return outcomeOf(await poster.post(url, plain, text, signal));
}

function outcomeOf(answer: Awaited<ReturnType<Poster["post"]>>): Outcome {
  const common = commonOutcome(answer);
  const { status } = answer;
  if (common !== null || status === null) return common ?? { result: "retry", words: { code: "notify.away", why: "" } };
  // until an owner fixes it, or the message expires
  if (status === 401 || status === 403) return { result: "retry", words: { code: "notify.forbidden", status } };
  return { result: "rejected", words: answered(status, errorIn(answer.text)) };
}

/** The error in ntfy's JSON answer. */
function errorIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "error" in body && typeof body.error === "string"
      ? body.error
      : "";
  } catch {
    return "";
  }
}

/** Headers carry ASCII: other text becomes an RFC 2047 encoded word, which ntfy decodes. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
}
