import { Type } from "typebox";
import { answer, Done, IdParams, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, limit, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { WEBHOOK_EVENTS } from "../../../core/api/webhook-events.ts";

const events = Type.Array(oneOf(WEBHOOK_EVENTS), { minItems: 1, uniqueItems: true });
const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  "x-text": true,
  examples: ["https://app.example.org/hooks/gatehouse"],
});
const label = text(80, { minLength: 0 });
const probe = Type.Boolean({
  description:
    "Once 20 failures have disabled it, the hub tries it again by itself, after 1, 2, 5, 10 and 30 minutes, then hourly; true unless given.",
});
const env = oneOf(["live", "test"], { description: "The household whose events are reported." });

/** A webhook without its secret. */
const Webhook = Type.Object(
  {
    id: integerId(),
    env,
    url: Type.String(),
    label: Type.String(),
    events: Type.Array(Type.String()),
    probe,
    active: Type.Boolean(),
    disabledAt: nullable(dateTime()),
    disabledReason: nullable(oneOf(["failures", "gone", "owner"])),
    failures: Type.Integer({
      minimum: 0,
      description: "Failed attempts in a row. With 20 of them the webhook is disabled.",
    }),
    nextProbeAt: nullable(dateTime(), {
      description: "When the hub next tries a disabled webhook by itself; null: it does not.",
    }),
    pausedUntil: nullable(dateTime(), { description: "No attempt is made before." }),
    rotatesUntil: nullable(dateTime(), { description: "After a rotation: the old secret signs too until then." }),
    dropped: nullable(
      Type.Object({ count: Type.Integer(), from: dateTime(), to: dateTime() }, { title: "DroppedDeliveries" }),
      {
        description: "Deliveries given up because too many or too old were kept.",
      },
    ),
    createdAt: dateTime(),
    updatedAt: dateTime(),
  },
  { title: "Webhook" },
);
const OneWebhook = answer("webhook", Webhook, "WebhookAnswer");
const WithSecret = Type.Object(
  { webhook: Webhook, secret: Type.String({ description: "Signs every delivery. Shown this once." }) },
  { title: "WebhookWithSecret" },
);

const DeliveryParams = Type.Object({ id: integerId(), deliveryId: Type.String({ minLength: 1, maxLength: 60 }) });

const Delivery = Type.Object(
  {
    id: Type.String({ examples: ["dlv_01JA0Z5K7M9WQ3R8T6V4X2Y1B0"] }),
    event: Type.String(),
    deviceId: Type.String(),
    test: Type.Boolean(),
    status: oneOf(["waiting", "slow", "delivered", "failed", "dropped"]),
    attempts: Type.Integer({ minimum: 0 }),
    at: dateTime({ description: "When it was enqueued." }),
    attemptedAt: nullable(dateTime()),
    nextAttemptAt: nullable(dateTime()),
    statusCode: nullable(Type.Integer(), { description: "Of the last attempt; null without an answer." }),
    tookMs: nullable(Type.Integer()),
    error: nullable(Type.String()),
  },
  { title: "WebhookDelivery" },
);

/** `GET /api/webhooks`. */
export const listWebhooks = defineRoute({
  method: "GET",
  path: "/api/webhooks",
  operationId: "listWebhooks",
  tag: "Webhooks",
  summary: "List webhooks",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "Of both households, oldest first.",
      schema: answer("webhooks", Type.Array(Webhook), "WebhookList"),
    },
  },
});

/** `POST /api/webhooks`. */
export const createWebhook = defineRoute({
  method: "POST",
  path: "/api/webhooks",
  operationId: "createWebhook",
  tag: "Webhooks",
  summary: "Register a receiver",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { url, events, env: Type.Optional(env), label: Type.Optional(label), probe: Type.Optional(probe) },
    { ...closed, title: "WebhookInput" },
  ),
  responses: { 201: { description: "The webhook and its secret.", schema: WithSecret } },
  problems: ["limit_reached"],
});

/** `PATCH /api/webhooks/{id}`. */
export const editWebhook = defineRoute({
  method: "PATCH",
  path: "/api/webhooks/{id}",
  operationId: "editWebhook",
  tag: "Webhooks",
  summary: "Change a webhook",
  access: session,
  proof: {
    when: "the address or the events change",
    needed: ({ url: to, events: kinds }) => to !== undefined || kinds !== undefined,
  },
  params: IdParams,
  body: Type.Object(
    {
      url: Type.Optional(url),
      events: Type.Optional(events),
      label: Type.Optional(label),
      probe: Type.Optional(probe),
    },
    { ...closed, minProperties: 1, title: "WebhookPatch" },
  ),
  responses: { 200: { description: "The changed webhook.", schema: OneWebhook } },
  problems: ["not_found"],
});

/** `DELETE /api/webhooks/{id}`. */
export const removeWebhook = defineRoute({
  method: "DELETE",
  path: "/api/webhooks/{id}",
  operationId: "removeWebhook",
  tag: "Webhooks",
  summary: "Remove a webhook with its log",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Removed.", schema: Done } },
  problems: ["not_found"],
});

/** `POST /api/webhooks/{id}/rotate`. */
export const rotateWebhookSecret = defineRoute({
  method: "POST",
  path: "/api/webhooks/{id}/rotate",
  operationId: "rotateWebhookSecret",
  tag: "Webhooks",
  summary: "Make a new secret",
  description: "For 24 hours every delivery carries two signatures.",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: { 200: { description: "The webhook and its new secret.", schema: WithSecret } },
  problems: ["not_found"],
});

/** `POST /api/webhooks/{id}/test`. */
export const testWebhook = defineRoute({
  method: "POST",
  path: "/api/webhooks/{id}/test",
  operationId: "testWebhook",
  tag: "Webhooks",
  summary: "Send a signed test delivery now",
  description: "Outside the order of deliveries; it stands in the log. `data.test` is true.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: {
    200: {
      description: "What the receiver did.",
      schema: Type.Object(
        {
          ok: Type.Boolean(),
          status: nullable(Type.Integer()),
          tookMs: Type.Integer({ minimum: 0 }),
          error: nullable(Type.String()),
        },
        { title: "WebhookTestResult" },
      ),
    },
  },
  problems: ["not_found"],
});

/** `POST /api/webhooks/{id}/disable`. */
export const disableWebhook = defineRoute({
  method: "POST",
  path: "/api/webhooks/{id}/disable",
  operationId: "disableWebhook",
  tag: "Webhooks",
  summary: "Switch a webhook off",
  description: "Its deliveries are kept for 72 hours.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The webhook.", schema: OneWebhook } },
  problems: ["not_found"],
});

/** `POST /api/webhooks/{id}/enable`. */
export const enableWebhook = defineRoute({
  method: "POST",
  path: "/api/webhooks/{id}/enable",
  operationId: "enableWebhook",
  tag: "Webhooks",
  summary: "Switch a disabled webhook on again",
  description: "A signed test is sent first; without a 2xx the webhook stays off, unless `force` is true.",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object(
    {
      force: Type.Optional(Type.Boolean()),
      kept: Type.Optional(
        oneOf(["send", "drop"], {
          description: "What becomes of the deliveries kept meanwhile; `send` unless given.",
          default: "send",
        }),
      ),
    },
    { ...closed, title: "WebhookEnable" },
  ),
  responses: { 200: { description: "The webhook.", schema: OneWebhook } },
  problems: ["not_found", "conflict"],
});

/** `GET /api/webhooks/{id}/deliveries`. */
export const listDeliveries = defineRoute({
  method: "GET",
  path: "/api/webhooks/{id}/deliveries",
  operationId: "listDeliveries",
  tag: "Webhooks",
  summary: "The delivery log",
  access: session,
  proof: "none",
  params: IdParams,
  query: Type.Object({
    limit: limit(500, 50),
    before: Type.Optional(integerId({ description: "`next` of the page before." })),
    status: Type.Optional(oneOf(["waiting", "slow", "delivered", "failed", "dropped"])),
  }),
  responses: {
    200: {
      description: "Newest first.",
      schema: Type.Object(
        {
          deliveries: Type.Array(Delivery),
          next: nullable(integerId(), { description: "Null on the last page." }),
          owed: Type.Integer({ minimum: 0, description: "Deliveries that are not over." }),
        },
        { title: "WebhookDeliveryList" },
      ),
    },
  },
  problems: ["not_found"],
});

/** `GET /api/webhooks/{id}/deliveries/{deliveryId}`. */
export const getDelivery = defineRoute({
  method: "GET",
  path: "/api/webhooks/{id}/deliveries/{deliveryId}",
  operationId: "getDelivery",
  tag: "Webhooks",
  summary: "One delivery with what is posted",
  access: session,
  proof: "none",
  params: DeliveryParams,
  responses: {
    200: {
      description: "The delivery, and its body byte for byte.",
      schema: Type.Object({ delivery: Delivery, body: Type.String() }, { title: "WebhookDeliveryAnswer" }),
    },
  },
  problems: ["not_found"],
});

/** `POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver`. */
export const redeliver = defineRoute({
  method: "POST",
  path: "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver",
  operationId: "redeliver",
  tag: "Webhooks",
  summary: "Send one delivery again",
  description: "Its id and its bytes stay; receivers that have seen it can tell.",
  access: session,
  proof: "none",
  params: DeliveryParams,
  responses: { 202: { description: "Owed again.", schema: Done } },
  problems: ["not_found"],
});

/** `POST /api/webhooks/{id}/redeliver`. */
export const redeliverFailed = defineRoute({
  method: "POST",
  path: "/api/webhooks/{id}/redeliver",
  operationId: "redeliverFailed",
  tag: "Webhooks",
  summary: "Send every failed delivery again",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object(
    { since: dateTime({ description: "Only those made at or after this moment." }) },
    { ...closed, title: "RedeliverFailed" },
  ),
  responses: {
    202: {
      description: "How many are pending again.",
      schema: Type.Object({ count: Type.Integer({ minimum: 0 }) }, { title: "RedeliverCount" }),
    },
  },
  problems: ["not_found"],
});
