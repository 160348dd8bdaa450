import { type Static, Type } from "typebox";
import { Done, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** The last message of a topic, as the stream sends it. */
export const SeenMessage = Type.Object(
  {
    topic: Type.String(),
    payload: nullable(Type.String(), {
      description: "Its beginning as text, secrets hidden; null where it is no text.",
    }),
    bytes: Type.Integer({ minimum: 0, description: "Length of the whole payload." }),
    qos: Type.Integer({ minimum: 0, maximum: 2 }),
    retained: Type.Boolean({ description: "The broker keeps a message of the topic for who subscribes later." }),
    at: nullable(dateTime(), { description: "Null: it was there before anybody looked." }),
    count: Type.Integer({ minimum: 0, description: "Messages since somebody looks." }),
    from: oneOf(["client", "hub"]),
  },
  { title: "SeenMessage" },
);

/** A message as the stream sends it, as a value. */
export type SeenMessage = Static<typeof SeenMessage>;

/** `GET /api/mqtt/stream`. */
export const watchMessages = defineRoute({
  method: "GET",
  path: "/api/mqtt/stream",
  operationId: "watchMessages",
  tag: "System",
  summary: "The messages that pass the broker, while the stream is open",
  description:
    "Server-sent events: `messages` carries a list of `SeenMessage` (the last of each topic that changed), `ended` says that ten minutes are over. Nothing is stored, and nothing is noted while nobody looks. Three may look at a time.",
  access: session,
  proof: "none",
  responses: { 200: { description: "An event stream.", contentType: "text/event-stream" } },
  problems: ["unavailable"],
});

/** `POST /api/mqtt/publish`. */
export const publishMessage = defineRoute({
  method: "POST",
  path: "/api/mqtt/publish",
  operationId: "publishMessage",
  tag: "System",
  summary: "Publish a message to clients of other makes",
  description:
    "Not retained. Topics of native devices are not taken: they get commands, which are checked and recorded.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    {
      topic: Type.String({ minLength: 1, maxLength: 512, pattern: "^[^+#\\u0000]+$" }),
      payload: Type.String({ maxLength: 16_384 }),
      qos: Type.Optional(Type.Integer({ minimum: 0, maximum: 1, default: 0 })),
    },
    { ...closed, title: "MessageToPublish" },
  ),
  responses: { 202: { description: "It went to all subscribers.", schema: Done } },
  problems: ["broker_unavailable"],
});
