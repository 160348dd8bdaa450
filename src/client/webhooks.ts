import type { WebhookDelivery } from "./types.js";

/** Headers of a delivery as Node, Express, Koa or `fetch` have them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How strict the check is. */
export interface WebhookOptions {
  /** How far the delivery's time may be from ours, in either direction, s; default 300. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds; default: the machine's clock. */
  readonly now?: number;
}

/** The delivery is not from the hub, or not recent. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";
}

/**
 * Checks a delivery's signature with the webhook's secret (`whsec_…`) and returns its content. `body`: the raw bytes or
 * text as received, not parsed and serialised again.
 * @throws WebhookRefused
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = Date.now() }: WebhookOptions = {},
): Promise<WebhookDelivery> {
  const parts = signatureIn(headers)
    .split(",")
    .map((part) => part.trim().split("="));
  const time = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d{1,12}$/.test(time)) throw new WebhookRefused("The header X-Service-Signature is missing or not one.");
  if (Math.abs(now / 1_000 - Number(time)) > toleranceSeconds)
    throw new WebhookRefused("The delivery is too old, or the clocks differ.");
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const head = encoder.encode(`${time}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
  for (const [name, hex = ""] of parts)
    if (name === "v1" && /^[0-9a-f]{64}$/.test(hex) && (await crypto.subtle.verify("HMAC", key, bytesOf(hex), signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookDelivery; // signed by the hub
  throw new WebhookRefused("No signature fits.");
}

function signatureIn(headers: WebhookHeaders): string {
  const name = "x-service-signature";
  if (typeof headers.get === "function") return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : "";
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}
