import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` + base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The signed content: a delivery's id, its body as posted, and the attempt's time in whole seconds. */
interface Signable {
  readonly id: string;
  readonly body: string;
  readonly timestampSeconds: number;
}

/** The sources of an attempt's headers. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  readonly attempts: number;
}

/**
 * The signature headers of one attempt, for each secret in force (the newest first; two during a rotation):
 * `X-Service-Signature` (docs/spec/device-control-api.md §6: HMAC-SHA256 of `t.body`, keyed with the secret as shown)
 * and the three headers of Standard Webhooks (HMAC of `id.t.body`, keyed with the decoded part;
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md), so that ready-made
 * verifiers of both kinds work.
 */
function signatureHeaders(delivery: Signable, secrets: readonly string[]): Record<string, string> {
  const { id, body, timestampSeconds: t } = delivery;
  const plain = secrets.map((secret) => `v1=${createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")}`);
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${t}.${body}`).digest("base64")}`;
  });
  return {
    "X-Service-Signature": [`t=${t}`, ...plain].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(t),
    "webhook-signature": standard.join(" "),
  };
}

/**
 * All headers of one attempt to deliver.
 * @param delivery id, event and body as stored, and the attempts before this one
 * @param secrets those in force, the newest first
 * @param now Unix milliseconds
 */
export function deliveryHeaders(delivery: Delivery, secrets: readonly string[], now: number): Record<string, string> {
  const { id, event, body, attempts } = delivery;
  return {
    "Content-Type": "application/json",
    "User-Agent": "Gatehouse-Webhooks/1",
    "X-Service-Event": event,
    "X-Service-Attempt": String(attempts + 1),
    ...signatureHeaders({ id, body, timestampSeconds: Math.floor(now / 1000) }, secrets),
  };
}
