import { escapeHtml } from "./html.ts";

const VERIFY = `// Node: no package needed. Give it the raw body bytes, not a parsed object.
import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(rawBody, header, secret) {
  const parts = header.split(",").map((part) => part.split("="));
  const t = Number(parts.find(([name]) => name === "t")?.[1]);
  if (!(Math.abs(Date.now() / 1000 - t) <= 300)) return false;      // both directions
  const expected = createHmac("sha256", secret).update(t + ".").update(rawBody).digest();
  return parts.some(([name, hex]) => {
    const given = Buffer.from(name === "v1" ? hex : "", "hex");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

const DELIVERY = `POST /your/receiver HTTP/1.1
Content-Type: application/json
X-Service-Event: device.state
X-Service-Attempt: 1
X-Service-Signature: t=1772366400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd

{"id":"dlv_01JNF3T0ZQ4V7X9YB2C4D6E8F0","event":"device.state","deviceId":"plug-kitchen",
 "data":{"state":{"power":true},"changed":["power"],"previous":{"power":false},"source":"device"},
 "at":"2026-03-01T12:00:00.000Z"}`;

/** The part of the reference page that no operation describes: keys, retries, webhooks. */
export function docsGuide(): string {
  return `<h2 id="authentication">Authentication</h2><article>
<p>Every operation except <code>GET /v1</code>, this page and the OpenAPI file needs an API key, made in the console under Developer. Send it as <code>Authorization: Bearer gth_live_…</code>, or as <code>X-API-Key</code>.
It is shown once, and never belongs into an address.</p>
<pre><code>${escapeHtml('curl -H "Authorization: Bearer $KEY" http://gatehouse.local:8080/v1/me')}</code></pre>
<p>A <code>gth_test_…</code> key sees a simulated household of the same account: everything works there, nothing reaches a real device.</p>
<p>From a browser page, the page's origin must be registered on the key; otherwise the answer is 403 <code>origin_not_allowed</code>.</p></article>
<h2 id="retries">Retries and limits</h2><article>
<p>600 requests a minute per key (100 at once), 120 commands a minute per key, 20 in ten seconds from one key to one device, 30 scene activations and 120 images a minute. The owner of the hub can change the figures.
<code>RateLimit-Policy</code> and <code>RateLimit</code> say what is left; a 429 says in <code>Retry-After</code> when to come back.</p>
<p>Send an <code>Idempotency-Key</code> with a POST, PATCH or DELETE to make a retry safe. An error always has this shape:</p>
<pre><code>${escapeHtml('{"error":{"code":"insufficient_scope","message":"…","requestId":"…","details":[],"requiredScope":"devices:control","keyScopes":["devices:read"]}}')}</code></pre></article>
<h2 id="webhooks">Webhooks</h2><article>
<p>The console registers receivers for <code>device.state</code>, <code>device.telemetry</code>, <code>device.online</code> and <code>device.offline</code>, and, beyond the contract, for <code>device.event</code>, <code>plate.read</code>, <code>gate.followed</code>, <code>command.failed</code> and <code>automation.notify</code>. Answer with any 2xx within five seconds; redirects are not followed.
A delivery keeps its <code>id</code> and its body through all attempts: use the id to drop doubles. After 20 failed deliveries in a row the webhook is disabled; what it missed is kept for 72 hours. The hub looks by itself whether the receiver is back (a signed test after 1, 2, 5, 10 and 30 minutes, then hourly) and then sends what it kept; the console can switch that off, and enable the webhook at once.</p>
<pre><code>${escapeHtml(DELIVERY)}</code></pre>
<p><code>v1</code> is the hex HMAC-SHA256 of <code>t</code>, a dot and the raw body, keyed with the whole signing secret (<code>whsec_…</code>). While a secret is being changed there are two <code>v1</code>; accept either.
Refuse a <code>t</code> that is more than five minutes away, in either direction.</p>
<pre><code>${escapeHtml(VERIFY)}</code></pre>
<p>The same delivery also carries <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code> of the Standard Webhooks scheme, so the libraries for either scheme verify it unchanged.</p></article>`;
}
