import type { Poster } from "../../core/kernel/post.ts";
import type { Message } from "./message.ts";
import { answered, commonOutcome, type Outcome } from "./outcome.ts";
import type { PushSubscriptionRow } from "./tables/push-subscription.ts";

/** Web Push, as owners set it up. */
export interface PushSettings {
  /** Whom a push service may contact about this hub's messages: an e-mail address. */
  readonly contact: string;
  /** Host names of further push services, besides the browsers' own. */
  readonly hosts: readonly string[];
  /** The hub's public key (VAPID), base64url. */
  readonly publicKey: string;
  /** Whether the gate's picture is shown, which the phone fetches from the hub itself when it can reach it. */
  readonly pictures: boolean;
}

/** What {@link sendPush} needs besides the message. */
export interface PushTarget extends PushSettings {
  readonly privateKey: string;
  readonly subscription: Pick<PushSubscriptionRow, "endpoint" | "p256dh" | "auth">;
}

/** The browsers' push services: a host with one of these names, or below one. */
const SERVICES = ["fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com"];
/** A push service takes 4 KB including the encryption. */
const LONGEST_BODY = 700;

/** A new pair of keys (VAPID, RFC 8292), base64url. */
export async function newPushKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  return (await webPush()).generateVAPIDKeys();
}

/**
 * Whether an endpoint that a browser names belongs to a push service: https, and a host that the hub knows or an owner
 * has added.
 */
export function isPushEndpoint(endpoint: string, hosts: readonly string[]): boolean {
  const url = URL.canParse(endpoint) && endpoint.length <= 1_000 ? new URL(endpoint) : null;
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  const host = url.hostname.toLowerCase();
  const isService = SERVICES.some((service) => host === service || host.endsWith(`.${service}`)) && url.port === "";
  return isService || hosts.includes(host);
}

/** Whether keys are what browsers give: an uncompressed point of P-256 (65 bytes) and 16 bytes, base64url. */
export function arePushKeys({ p256dh, auth }: Pick<PushSubscriptionRow, "p256dh" | "auth">): boolean {
  const point = Buffer.from(p256dh, "base64url");
  return point.length === 65 && point[0] === 4 && Buffer.from(auth, "base64url").length === 16;
}

/** Encrypts a message for one browser (RFC 8291) and hands it to its push service. Never rejects. */
export async function sendPush(
  poster: Poster,
  message: Message,
  target: PushTarget,
  signal: AbortSignal,
): Promise<Outcome> {
  const { subscription, contact, publicKey, privateKey, hosts } = target;
  const { endpoint, p256dh, auth } = subscription;
  if (!isPushEndpoint(endpoint, hosts))
    return { result: "ended", words: { code: "notify.refused", why: new URL(endpoint).hostname } };
  const payload = JSON.stringify({
    title: message.title,
    body: [...message.body].slice(0, LONGEST_BODY).join(""),
    at: message.at,
    urgent: message.urgent,
    path: message.path,
    ...(message.tag === null ? {} : { tag: message.tag }),
    ...(message.question === null ? {} : { question: message.question }),
    ...(target.pictures && pictureOf(message) !== null ? { picture: pictureOf(message) } : {}),
  });
  let details: { readonly headers: object; readonly body: Buffer };
  try {
    details = (await webPush()).generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails: { subject: `mailto:${contact}`, publicKey, privateKey },
      TTL: message.ttlSeconds,
      urgency: message.urgent ? "high" : "normal",
      contentEncoding: "aes128gcm",
    });
  } catch {
    return { result: "ended", words: { code: "notify.pushEnded", status: 0 } }; // a key off the curve
  }
  const headers = Object.fromEntries(Object.entries(details.headers).map(([name, value]) => [name, String(value)]));
  const answer = await poster.post(endpoint, headers, details.body, signal);
  const common = commonOutcome(answer);
  const { status } = answer;
  if (common !== null || status === null) return common ?? { result: "retry", words: { code: "notify.away", why: "" } };
  if (status === 404 || status === 410) return { result: "ended", words: { code: "notify.pushEnded", status } };
  if (status === 401 || status === 403) return { result: "retry", words: { code: "notify.pushKey", status } };
  return { result: "rejected", words: answered(status, answer.text) };
}

/**
 * The URL from which the phone fetches the picture from the hub; a question's picture exists before the read is stored.
 */
function pictureOf({ question, picture }: Message): string | null {
  if (question !== null) return `/v1/gate-questions/${question.id}/image`;
  return picture?.path ?? null;
}

type WebPush = Pick<typeof import("web-push"), "generateVAPIDKeys" | "generateRequestDetails">;

/** Most hubs never need the library. */
async function webPush(): Promise<WebPush> {
  const { default: library } = await import("web-push");
  return library;
}
