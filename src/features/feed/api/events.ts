import { Type } from "typebox";
import { cursor, limit, since } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { FeedItem } from "../resources/feed-item.ts";

/** `GET /v1/events`. */
export const listEvents = defineRoute({
  method: "GET",
  path: "/v1/events",
  operationId: "listEvents",
  tag: "Events",
  summary: "Read the activity feed",
  description:
    "Newest first. Kept for 90 days, at most 50,000 items. Older items are reached through the `Link` header.",
  access: { kind: "scope", scope: "events:read" },
  query: Type.Object({ limit: limit(500, 50), since, cursor }),
  responses: {
    200: {
      description: "The items.",
      schema: Type.Object({ events: Type.Array(FeedItem, { description: "Newest first." }) }, { title: "EventList" }),
    },
  },
  examples: [
    {
      name: "all",
      status: 200,
      answer: {
        events: [
          {
            id: 7,
            deviceId: "plug-kitchen",
            kind: "device.online",
            title: "Kitchen plug is online",
            body: "",
            read: false,
            at: "2026-03-01T12:00:00.000Z",
          },
        ],
      },
    },
  ],
});
