import type { WebhookSpec } from "../api/resources/webhook-delivery.ts";
import type { ResponseSpec, RouteSpec } from "../api/route.ts";
import type { Json } from "./openapi-schemas.ts";

/** Headers of answers, by name. */
export const ANSWER_HEADERS: Readonly<Record<string, Json>> = {
  "X-Request-Id": {
    description: "Names this request in the hub's log. Your own is kept if it matches `^[A-Za-z0-9_-]{8,64}$`.",
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description: "The limits that this request counted against.",
    schema: { type: "string" },
    example: '"key";q=600;w=60',
  },
  RateLimit: {
    description: "What is left of them: `r` requests, more in `t` seconds.",
    schema: { type: "string" },
    example: '"key";r=99;t=0',
  },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
  ETag: {
    description:
      "Names what the answer shows, for If-None-Match; of one object also what can be edited in it, for If-Match.",
    schema: { type: "string" },
  },
  Location: { description: "Path of what was made.", schema: { type: "string" } },
  Link: {
    description: 'Address of the next page, as `<…>; rel="next"`; absent on the last one.',
    schema: { type: "string" },
  },
  "X-Ignored-Query": { description: "Query parameters that the operation does not know.", schema: { type: "string" } },
  "Idempotency-Replayed": {
    description: "`true` when this is the first answer to this key, given again.",
    schema: { type: "string" },
  },
  "Content-Disposition": {
    description: "The name under which the file is kept.",
    schema: { type: "string" },
    example: 'attachment; filename="plug-1-2026-03-01.csv"',
  },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" } },
};

/** Headers of requests that many operations take, as parameters of the document. */
export const REQUEST_HEADERS: Readonly<Record<string, Json>> = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description: "ETag of an answer that the client still has: 304 without a body when it is the same.",
    schema: { type: "string" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      "ETag of the object as it was read: 412 when what can be edited in it has changed since. `*` fits always.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Any text that is new for each change: for 24 hours a repeat with the same key is answered with the first answer and does nothing again.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    required: false,
    description:
      "The last `id` that came before the connection ended: the stream goes on after it. Browsers send it by themselves.",
    schema: { type: "string" },
  },
};

/** Whether an operation responds with a stream of events. */
export function isStream({ responses }: RouteSpec): boolean {
  return responses[200]?.contentType === "text/event-stream";
}

/** Media types of responses that are files to save. */
const FILES = /^(text\/csv|application\/(octet-stream|x-x509-ca-cert))\b/;

/** Whether an answer is a file to keep, which brings its name. */
export function isFile({ contentType = "" }: ResponseSpec): boolean {
  return FILES.test(contentType);
}

/** Which of {@link REQUEST_HEADERS} an operation takes. */
export function requestHeadersOf(route: RouteSpec): Json[] {
  const { method, access, ifMatch } = route;
  const names = [
    ...(method === "GET" && !isStream(route) ? ["IfNoneMatch"] : []),
    ...(isStream(route) && access.kind === "scope" ? ["LastEventId"] : []),
    ...(ifMatch ? ["IfMatch"] : []),
    ...(method !== "GET" && access.kind === "scope" ? ["IdempotencyKey"] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The headers of a delivery. */
const DELIVERY_HEADERS: readonly Json[] = [
  header(
    "X-Service-Signature",
    "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole secret. Two `v1` while a secret is changed.",
    {
      pattern: "^t=[0-9]+(,v1=[0-9a-f]{64})+$",
    },
  ),
  header("X-Service-Event", "The event, as in the body."),
  header("X-Service-Attempt", "1 for the first attempt."),
  header("webhook-id", "The delivery's id (Standard Webhooks)."),
  header("webhook-timestamp", "The attempt's time in Unix seconds (Standard Webhooks)."),
  header(
    "webhook-signature",
    "`v1,<base64>`: HMAC-SHA256 of `<id>.<t>.<raw body>`, keyed with the decoded part of the secret (Standard Webhooks).",
  ),
];

/** A kind of delivery for the `webhooks` section. */
export function webhookPlace(spec: WebhookSpec, schema: Json): Json {
  return {
    post: {
      operationId: spec.operationId,
      tags: ["Webhooks"],
      summary: spec.summary,
      ...(spec.addition === true ? { "x-addition": true } : {}),
      description: `${spec.description} Answer with any 2xx within five seconds; redirects are not followed.`,
      security: [],
      parameters: DELIVERY_HEADERS,
      requestBody: {
        required: true,
        content: { "application/json": { schema, examples: { delivery: { value: spec.example } } } },
      },
      responses: {
        "2XX": { description: "Taken." },
        default: {
          description: "Not taken: it is sent again, and 20 deliveries that failed in a row disable the webhook.",
        },
      },
    },
  };
}

function header(name: string, description: string, rule: Json = {}): Json {
  return { name, in: "header", required: true, description, schema: { type: "string", ...rule } };
}
