import { Type } from "typebox";
import { session } from "../../../core/api/console-common.ts";
import { closed, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { WEBHOOK_EVENTS } from "../../../core/api/webhook-events.ts";

const env = oneOf(["live", "test"], { description: "The household." });

/** `GET /api/webhooks/listen`. */
export const listenToDeliveries = defineRoute({
  method: "GET",
  path: "/api/webhooks/listen",
  operationId: "listenToDeliveries",
  tag: "Webhooks",
  summary: "Listen along to what would be posted to a receiver",
  description:
    "Server-sent events `delivery` with `id`, `event` and `body`, the very text that a webhook would post. Nothing of it is kept or sent again. `gatehouse listen` signs it and posts it to a receiver that is being written.",
  access: session,
  proof: "none",
  query: Type.Object({
    events: Type.Optional(Type.String({ maxLength: 500, description: "With commas between them; all unless given." })),
    env: Type.Optional(env),
  }),
  responses: { 200: { description: "An event stream.", contentType: "text/event-stream" } },
});

/** `POST /api/webhooks/trigger`. */
export const triggerEvent = defineRoute({
  method: "POST",
  path: "/api/webhooks/trigger",
  operationId: "triggerEvent",
  tag: "Webhooks",
  summary: "Send a test event",
  description:
    "Sends the description's example, with `data.test` true, to the webhooks of that household (the simulated one unless given) that take it, and to all listeners. No device is touched.",
  access: session,
  proof: "none",
  body: Type.Object(
    {
      event: oneOf(WEBHOOK_EVENTS),
      deviceId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      env: Type.Optional(env),
    },
    { ...closed, title: "TriggerWish" },
  ),
  responses: {
    202: {
      description: "How many webhooks it is pending for.",
      schema: Type.Object({ webhooks: Type.Integer({ minimum: 0 }) }, { title: "EventTriggered" }),
    },
  },
});
