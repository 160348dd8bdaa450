import { Type } from "typebox";
import { answer, Done, person, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, freeObject, integerId, nullable, oneOf, words } from "../../../core/api/fields.ts";
import { LOG_LEVELS } from "../../../core/api/log-levels.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { isEverydaySetting } from "../../../core/settings/schema.ts";

/** `POST /api/feed/read`. */
export const markFeedRead = defineRoute({
  method: "POST",
  path: "/api/feed/read",
  operationId: "markFeedRead",
  tag: "Feed",
  summary: "Mark feed items as read",
  description: "`upToId`: this item and all before it. `id`: one item; `read` false marks it as unread again.",
  access: person,
  proof: "none",
  body: Type.Object(
    {
      upToId: Type.Optional(Type.Integer({ minimum: 0 })),
      id: Type.Optional(integerId()),
      read: Type.Optional(Type.Boolean()),
    },
    { ...closed, minProperties: 1, title: "FeedRead" },
  ),
  responses: {
    200: {
      description: "What is left.",
      schema: Type.Object({ unread: Type.Integer({ minimum: 0 }) }, { title: "UnreadCount" }),
    },
  },
  problems: ["not_found"],
});

/** `GET /api/feed/unread`. */
export const countUnread = defineRoute({
  method: "GET",
  path: "/api/feed/unread",
  operationId: "countUnread",
  tag: "Feed",
  summary: "How many feed items are unread",
  access: person,
  proof: "none",
  responses: {
    200: {
      description: "The count, of the newest 10,000 unread items.",
      schema: Type.Object({ unread: Type.Integer({ minimum: 0 }) }, { title: "UnreadCount" }),
    },
  },
});

const Setting = Type.Object(
  {
    key: Type.String({ examples: ["http.port"] }),
    group: Type.String(),
    kind: oneOf(["integer", "number", "boolean", "string", "choice", "list"]),
    description: Type.String(),
    value: Type.Unknown({ description: "In force now." }),
    saved: Type.Unknown({ description: "Waits for a restart where it differs from `value`." }),
    default: Type.Unknown(),
    source: oneOf(["default", "file", "environment", "command line"]),
    changeable: Type.Boolean({ description: "False when the environment or the command line holds it." }),
    restart: Type.Boolean({ description: "A change needs a restart." }),
    env: Type.String({ description: "Environment variable." }),
    minimum: nullable(Type.Number()),
    maximum: nullable(Type.Number()),
    choices: nullable(Type.Array(Type.String())),
  },
  { title: "Setting" },
);

/** `GET /api/settings`. */
export const listSettings = defineRoute({
  method: "GET",
  path: "/api/settings",
  operationId: "listSettings",
  tag: "Settings",
  summary: "List every setting",
  access: session,
  proof: "none",
  responses: { 200: { description: "By group.", schema: answer("settings", Type.Array(Setting), "SettingList") } },
});

/** `PATCH /api/settings`. */
export const changeSettings = defineRoute({
  method: "PATCH",
  path: "/api/settings",
  operationId: "changeSettings",
  tag: "Settings",
  summary: "Change settings",
  description: "Saved to the settings file. Null takes a setting back to its default. All or nothing.",
  access: session,
  proof: {
    when: "one of the settings bears on security or deletes something",
    needed: ({ settings }) => Object.keys(settings).some((key) => !isEverydaySetting(key)),
  },
  body: Type.Object(
    { settings: freeObject({ description: "Values by key.", examples: [{ "plates.imageRetentionDays": 7 }] }) },
    { ...closed, title: "SettingsPatch" },
  ),
  responses: {
    200: {
      description: "Every setting, and the keys that wait for a restart.",
      schema: Type.Object(
        { settings: Type.Array(Setting), restartFor: Type.Array(Type.String()) },
        { title: "SettingsChanged" },
      ),
    },
  },
  problems: ["invalid_setting", "conflict"],
});

/** `GET /api/health`. */
export const getHealth = defineRoute({
  method: "GET",
  path: "/api/health",
  operationId: "getHealth",
  tag: "System",
  summary: "What is well and what is not",
  access: person,
  proof: "none",
  responses: {
    200: {
      description: "Every check.",
      schema: Type.Object(
        {
          status: oneOf(["ok", "degraded", "failed"]),
          checks: Type.Array(
            Type.Object(
              {
                code: Type.String(),
                level: oneOf(["ok", "degraded", "failed"]),
                title: Type.String(),
                text: Type.String(),
                words: words(),
                advice: Type.Boolean({ description: "It works (`ok`), and somebody could make it better." }),
              },
              { title: "HealthCheck" },
            ),
          ),
          version: Type.String(),
          startedAt: dateTime(),
          now: dateTime({ description: "The hub's clock." }),
        },
        { title: "Health" },
      ),
    },
  },
});

/** `GET /api/stream`. */
export const openStream = defineRoute({
  method: "GET",
  path: "/api/stream",
  operationId: "openStream",
  tag: "System",
  summary: "Facts as they happen",
  description:
    "Server-sent events named after the fact (`device.changed`, `feed.added`, `read.decided`, …) with a JSON object; times are ISO 8601. `stream.opened` comes first; its `position` compares with `facts` of `GET /api/standing`. After a reconnect, load lists again: facts of the gap are not repeated. With `logs`, the stream carries new lines of the log (`log.line`) of this level and above instead; that is for owners.",
  access: person,
  proof: "none",
  query: Type.Object({ logs: Type.Optional(oneOf(LOG_LEVELS)) }),
  responses: { 200: { description: "An event stream.", contentType: "text/event-stream" } },
});

/** `GET /api/openapi.json`. */
export const getConsoleOpenApi = defineRoute({
  method: "GET",
  path: "/api/openapi.json",
  operationId: "getConsoleOpenApi",
  tag: "System",
  summary: "The OpenAPI description of this interface",
  access: { kind: "public" },
  responses: { 200: { description: "An OpenAPI 3.1 document.", schema: freeObject() } },
});

/** `POST /api/clock`. */
export const offerTime = defineRoute({
  method: "POST",
  path: "/api/clock",
  operationId: "offerTime",
  tag: "System",
  summary: "Offer the browser's time to a hub without a trusted clock",
  access: session,
  proof: "none",
  body: Type.Object({ now: dateTime() }, { ...closed, title: "ClockOffer" }),
  responses: { 200: { description: "Whether the hub took it.", schema: Done } },
});
