import { Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { closed, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { EmailAddress } from "../../access/api/console-session.ts";

const TAG = "Notifications";
const enabled = Type.Boolean({ description: "Off: nobody gets anything by this way; what is set stays." });
const pictures = Type.Boolean({ description: "Whether the gate's picture goes along." });
const secret = (description: string) =>
  Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 500, format: "password", description })));

const server = Type.String({
  minLength: 1,
  maxLength: 500,
  "x-text": true,
  description: "Without a topic.",
  examples: ["http://192.168.1.20:2586"],
});
const Ntfy = { enabled, server, pictures };
const host = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: "^[A-Za-z0-9.:_-]+$",
  "x-text": true,
  examples: ["mail.example.org"],
});
const Email = {
  enabled,
  host,
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: oneOf(["tls", "starttls", "none"], {
    description: "`tls`: encrypted from the start (465). `starttls`: 587. `none`: in clear, without a password.",
  }),
  user: nullable(text(200)),
  from: EmailAddress,
  pictures,
};
const Push = {
  enabled,
  contact: EmailAddress,
  hosts: Type.Array(Type.String({ pattern: "^[a-z0-9.-]{1,253}$" }), {
    maxItems: 10,
    uniqueItems: true,
    description: "Push services beside those of the browsers.",
  }),
  pictures,
};

const Channels = Type.Object(
  {
    ntfy: nullable(Type.Object({ ...Ntfy, hasToken: Type.Boolean() }, { title: "NtfyChannel" })),
    email: nullable(Type.Object({ ...Email, hasPassword: Type.Boolean() }, { title: "EmailChannel" })),
    push: nullable(Type.Object({ ...Push, publicKey: Type.String() }, { title: "PushChannel" })),
  },
  { title: "NotificationChannels" },
);
const answered = {
  200: {
    description: "The ways, without their secrets; null: never set up.",
    schema: answer("channels", Channels, "NotificationChannelsAnswer"),
  },
};

/** `GET /api/notifications/channels`. */
export const getNotificationChannels = defineRoute({
  method: "GET",
  path: "/api/notifications/channels",
  operationId: "getNotificationChannels",
  tag: TAG,
  summary: "The ways by which the household is notified",
  access: session,
  proof: "none",
  responses: answered,
});

/** `PUT /api/notifications/channels/ntfy`. */
export const putNtfyChannel = defineRoute({
  method: "PUT",
  path: "/api/notifications/channels/ntfy",
  operationId: "putNtfyChannel",
  tag: TAG,
  summary: "Set the ntfy server up",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { ...Ntfy, token: secret("Access token. Absent: as before; null: none.") },
    { ...closed, title: "NtfyChannelPut" },
  ),
  responses: answered,
});

/** `PUT /api/notifications/channels/email`. */
export const putEmailChannel = defineRoute({
  method: "PUT",
  path: "/api/notifications/channels/email",
  operationId: "putEmailChannel",
  tag: TAG,
  summary: "Set the mail server up",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { ...Email, password: secret("Absent: as before; null: none.") },
    { ...closed, title: "EmailChannelPut" },
  ),
  responses: answered,
});

/** `PUT /api/notifications/channels/push`. */
export const putPushChannel = defineRoute({
  method: "PUT",
  path: "/api/notifications/channels/push",
  operationId: "putPushChannel",
  tag: TAG,
  summary: "Set Web Push up",
  description:
    "The hub makes its own pair of keys. Messages are encrypted for each browser; its push service on the internet carries them.",
  access: session,
  proof: "fresh",
  body: Type.Object(Push, { ...closed, title: "PushChannelPut" }),
  responses: answered,
});
