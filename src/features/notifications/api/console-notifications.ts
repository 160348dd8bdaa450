import { Type } from "typebox";
import { answer, Done, IdParams, person } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text, words } from "../../../core/api/fields.ts";
import { NOTIFICATION_CHANNELS, NOTIFICATION_TOPICS, SENDING_CHANNELS } from "../../../core/api/notification-topics.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { ListedItem } from "../../feed/resources/feed-item.ts";

const TAG = "Notifications";
const Unread = Type.Object(
  { unread: Type.Integer({ minimum: 0, maximum: 99, description: "Lines of the list; 99: as many, or more." }) },
  { title: "UnreadNotifications" },
);

const MutedUntil = nullable(dateTime(), { description: "Until then only what is urgent is sent; null: no mute." });

/** `GET /api/notifications`. */
export const listNotifications = defineRoute({
  method: "GET",
  path: "/api/notifications",
  operationId: "listNotifications",
  tag: TAG,
  summary: "What the signed-in person is told in the console",
  description:
    "The newest 100 items of the feed of the topics that the person chose for the console; `read` is this person's own.",
  access: person,
  proof: "none",
  responses: {
    200: {
      description: "Newest first.",
      schema: Type.Object(
        { notifications: Type.Array(ListedItem), mutedUntil: MutedUntil },
        { title: "NotificationList" },
      ),
    },
  },
});

/** `GET /api/notifications/unread`. */
export const countNotifications = defineRoute({
  method: "GET",
  path: "/api/notifications/unread",
  operationId: "countNotifications",
  tag: TAG,
  summary: "How many notifications are new to the person",
  access: person,
  proof: "none",
  responses: { 200: { description: "The count.", schema: Unread } },
});

/** `POST /api/notifications/read`. */
export const markNotificationsRead = defineRoute({
  method: "POST",
  path: "/api/notifications/read",
  operationId: "markNotificationsRead",
  tag: TAG,
  summary: "Mark notifications as read, for this person",
  access: person,
  proof: "none",
  body: Type.Object(
    { upToId: integerId({ description: "This one and all before it." }) },
    { ...closed, title: "NotificationsRead" },
  ),
  responses: { 200: { description: "What is left.", schema: Unread } },
});

const time = Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", examples: ["22:00"] });
const Quiet = Type.Object(
  { from: time, to: time },
  { ...closed, title: "QuietHours", description: "In the household's zone; they may go over midnight." },
);
const Choice = Type.Object(
  {
    channels: Type.Array(oneOf([...NOTIFICATION_CHANNELS]), {
      uniqueItems: true,
      maxItems: NOTIFICATION_CHANNELS.length,
    }),
    urgent: Type.Boolean({ description: "In quiet hours too, and with the priority that makes a phone ring." }),
  },
  { ...closed, title: "NotificationChoice" },
);
const language = oneOf(["en", "hi"], { description: "Of what is sent." });
type TopicSchemas<Schema> = { [Topic in (typeof NOTIFICATION_TOPICS)[number]]: Schema };
const byTopic = <Schema>(schema: Schema): TopicSchemas<Schema> =>
  // every topic, by the list
  Object.fromEntries(NOTIFICATION_TOPICS.map((topic) => [topic, schema])) as TopicSchemas<Schema>;

const Trouble = Type.Object({ text: Type.String(), words: words(), at: dateTime() }, { title: "ChannelTrouble" });
const Subscription = Type.Object(
  {
    id: integerId(),
    label: Type.String(),
    isThisSession: Type.Boolean({ description: "It belongs to the session that asks." }),
    createdAt: dateTime(),
  },
  { title: "PushSubscription" },
);
const Preferences = Type.Object(
  {
    language,
    topics: Type.Object(byTopic(Choice), { title: "NotificationChoices" }),
    quiet: nullable(Quiet),
    mutedUntil: MutedUntil,
    timeZone: Type.String({ description: "Of the household." }),
    ways: Type.Array(
      Type.Object(
        {
          channel: oneOf([...SENDING_CHANNELS]),
          open: Type.Boolean({ description: "An owner has set it up and switched it on." }),
          trouble: nullable(Trouble, { description: "The last failure, as long as nothing was delivered since." }),
        },
        { title: "NotificationWay" },
      ),
    ),
    email: Type.Object({ on: Type.Boolean(), address: Type.String() }, { title: "EmailChoice" }),
    ntfy: Type.Object({ topic: nullable(Type.String()), server: nullable(Type.String()) }, { title: "NtfyChoice" }),
    push: Type.Object(
      {
        publicKey: nullable(Type.String({ description: "`applicationServerKey` of a subscription." })),
        subscriptions: Type.Array(Subscription),
      },
      { title: "PushChoice" },
    ),
  },
  { title: "NotificationPreferences" },
);
const PreferencesAnswer = answer("preferences", Preferences, "NotificationPreferencesAnswer");

/** `GET /api/notifications/preferences`. */
export const getNotificationPreferences = defineRoute({
  method: "GET",
  path: "/api/notifications/preferences",
  operationId: "getNotificationPreferences",
  tag: TAG,
  summary: "What the person is told, and how",
  access: person,
  proof: "none",
  responses: { 200: { description: "The choices, and the ways that are open.", schema: PreferencesAnswer } },
});

/** `PATCH /api/notifications/preferences`. */
export const editNotificationPreferences = defineRoute({
  method: "PATCH",
  path: "/api/notifications/preferences",
  operationId: "editNotificationPreferences",
  tag: TAG,
  summary: "Choose what to be told",
  description: "Absent members and topics stay as they are.",
  access: person,
  proof: {
    when: "what is told about sign-ins and keys changes, or mail ends, by which it may be told",
    needed: ({ topics, email }) => topics?.security !== undefined || email === false,
  },
  body: Type.Object(
    {
      language: Type.Optional(language),
      topics: Type.Optional(
        Type.Partial(Type.Object(byTopic(Choice)), { ...closed, title: "NotificationChoicesPatch" }),
      ),
      quiet: Type.Optional(nullable(Quiet)),
      muteMinutes: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 1_440,
          description: "For so long only what is urgent is sent, from now on; 0: the mute ends.",
        }),
      ),
      email: Type.Optional(Type.Boolean({ description: "Messages go to the account's own address." })),
    },
    { ...closed, minProperties: 1, title: "NotificationPreferencesPatch" },
  ),
  responses: { 200: { description: "The choices.", schema: PreferencesAnswer } },
});

/** `PUT /api/notifications/ntfy-topic`. */
export const setNtfyTopic = defineRoute({
  method: "PUT",
  path: "/api/notifications/ntfy-topic",
  operationId: "setNtfyTopic",
  tag: TAG,
  summary: "Set the person's ntfy topic",
  description: "Messages go there as long as it stands, also when the session has ended.",
  access: person,
  proof: "fresh",
  body: Type.Object(
    {
      topic: nullable(
        Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$", description: "As ntfy writes topics. Null: none." }),
      ),
    },
    { ...closed, title: "NtfyTopic" },
  ),
  responses: { 200: { description: "The choices.", schema: PreferencesAnswer } },
});

const base64url = (maxLength: number) => Type.String({ pattern: "^[A-Za-z0-9_-]+={0,2}$", minLength: 1, maxLength });

/** `POST /api/notifications/subscriptions`. */
export const subscribeBrowser = defineRoute({
  method: "POST",
  path: "/api/notifications/subscriptions",
  operationId: "subscribeBrowser",
  tag: TAG,
  summary: "Send Web Push to this browser",
  description:
    "It ends with the session. Only push services that the hub knows, or that an owner has added, are sent to.",
  access: person,
  proof: "none",
  body: Type.Object(
    {
      endpoint: Type.String({
        minLength: 1,
        maxLength: 1_000,
        examples: ["https://updates.push.services.mozilla.com/wpush/v2/gAAAAAB"],
      }),
      p256dh: base64url(100),
      auth: base64url(40),
      label: text(80, { examples: ["Chrome on Android"] }),
    },
    { ...closed, title: "NewPushSubscription" },
  ),
  responses: { 201: { description: "Taken in.", schema: answer("id", integerId(), "PushSubscriptionAdded") } },
  problems: ["conflict", "limit_reached"],
});

/** `DELETE /api/notifications/subscriptions/{id}`. */
export const unsubscribeBrowser = defineRoute({
  method: "DELETE",
  path: "/api/notifications/subscriptions/{id}",
  operationId: "unsubscribeBrowser",
  tag: TAG,
  summary: "Send no more Web Push to a browser",
  access: person,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Done.", schema: Done } },
  problems: ["not_found"],
});

/** `POST /api/notifications/test`. */
export const testNotification = defineRoute({
  method: "POST",
  path: "/api/notifications/test",
  operationId: "testNotification",
  tag: TAG,
  summary: "Send a test to oneself and say what came of it",
  access: person,
  proof: "none",
  body: Type.Object(
    {
      channel: oneOf([...SENDING_CHANNELS]),
      subscriptionId: Type.Optional(integerId({ description: "Of Web Push: which browser." })),
    },
    { ...closed, title: "NotificationTest" },
  ),
  responses: {
    200: {
      description: "What the receiver said.",
      schema: Type.Object(
        { delivered: Type.Boolean(), text: Type.String(), words: words() },
        { title: "NotificationTestOutcome" },
      ),
    },
  },
});
