import { type Static, Type } from "typebox";
import { session } from "../../../core/api/console-common.ts";
import { dateTime, limit, nullable, oneOf } from "../../../core/api/fields.ts";
import { LOG_LEVELS } from "../../../core/api/log-levels.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** A line of the hub's log. */
export const LogLine = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: "Counts up from the start of the hub." }),
    at: dateTime(),
    level: oneOf(LOG_LEVELS),
    part: nullable(Type.String({ examples: ["mqtt"] }), { description: "Part of the hub that says it." }),
    message: Type.String(),
    detail: Type.String({ description: "What else it says, as text; secrets are hidden." }),
  },
  { title: "LogLine" },
);

/** A line of the log as a value. */
export type LogLine = Static<typeof LogLine>;

/** `GET /api/logs`. */
export const listLogs = defineRoute({
  method: "GET",
  path: "/api/logs",
  operationId: "listLogs",
  tag: "System",
  summary: "The latest lines of the log",
  description:
    "Kept in memory since the start, the 1,000 latest. What the setting `log.level` leaves out is not there. New lines come over `GET /api/stream?logs=LEVEL`.",
  access: session,
  proof: "none",
  query: Type.Object({
    level: Type.Optional(oneOf(LOG_LEVELS, { description: "This level and above." })),
    part: Type.Optional(Type.String({ maxLength: 40 })),
    text: Type.Optional(Type.String({ maxLength: 100, description: "Somewhere in the line, without case." })),
    limit: limit(1_000, 200),
  }),
  responses: {
    200: {
      description: "Oldest first.",
      schema: Type.Object(
        { lines: Type.Array(LogLine), parts: Type.Array(Type.String(), { description: "Parts that said something." }) },
        { title: "LogList" },
      ),
    },
  },
});
