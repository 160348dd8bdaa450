import type { Caller } from "../../../core/api/caller.ts";
import { SENDING_CHANNELS } from "../../../core/api/notification-topics.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { detailEnglish } from "../../../core/text/english.ts";
import type { Recorded } from "../../../core/text/render.ts";
import { sessionIdOf } from "../../access/authenticator.ts";
import type { AccessFeature } from "../../access/feature.ts";
import { listed } from "../../feed/routes/activity.ts";
import {
  getNotificationChannels,
  putEmailChannel,
  putNtfyChannel,
  putPushChannel,
} from "../api/console-notification-channels.ts";
import {
  countNotifications,
  editNotificationPreferences,
  getNotificationPreferences,
  listNotifications,
  markNotificationsRead,
  setNtfyTopic,
  subscribeBrowser,
  testNotification,
  unsubscribeBrowser,
} from "../api/console-notifications.ts";
import type { Channels } from "../channels.ts";
import type { NotificationDeliverer } from "../deliver.ts";
import type { Notifications, Recipient } from "../notifications.ts";

/** The part of the feature that its pages work with. */
interface Uses {
  readonly notifications: Notifications;
  readonly channels: Channels;
  readonly deliverer: Pick<NotificationDeliverer, "test" | "trouble">;
  /** The person behind a caller. @throws Problem `not_found` */
  recipient(accountId: number): Recipient;
}

/** A person's notifications and preferences, and the channels that owners set up. */
export function notificationRoutes(feature: Uses, access: AccessFeature): BoundRoute[] {
  return [...personRoutes(feature, access), ...channelRoutes(feature, access)];
}

function personRoutes(feature: Uses, access: AccessFeature): BoundRoute[] {
  const { notifications, deliverer } = feature;
  const { audited } = access;
  const unread = ({ siteId, accountId }: Caller) => ({
    status: 200 as const,
    body: { unread: notifications.unread(siteId, feature.recipient(accountId)) },
  });
  const preferences = (caller: Caller) => ({
    status: 200 as const,
    body: { preferences: shownPreferences(feature, access, caller) },
  });
  return [
    bind(listNotifications, ({ caller }) => ({
      status: 200,
      body: {
        notifications: notifications.list(caller.siteId, feature.recipient(caller.accountId)).map(listed),
        mutedUntil: isoTimeOrNull(notifications.preferences(caller.accountId).mutedUntil),
      },
    })),
    bind(countNotifications, ({ caller }) => unread(caller)),
    bind(markNotificationsRead, async ({ caller, body }) => {
      await notifications.markSeen(caller.siteId, feature.recipient(caller.accountId), body.upToId);
      return unread(caller);
    }),
    bind(getNotificationPreferences, ({ caller }) => preferences(caller)),
    bind(editNotificationPreferences, async ({ caller, body }) => {
      await notifications.edit(caller.accountId, body);
      return preferences(caller);
    }),
    bind(setNtfyTopic, async ({ caller, body }) => {
      await notifications.setNtfyTopic(caller.accountId, body.topic, () =>
        audited.line(caller)("notifications.ntfy_topic_set", body.topic ?? ""),
      );
      return preferences(caller);
    }),
    bind(subscribeBrowser, async ({ caller, body }) => {
      const sessionId = sessionIdOf(caller);
      if (sessionId === 0) throw new Problem("conflict", { code: "conflict.browserNotSignedIn" });
      const id = await notifications.subscribe(feature.recipient(caller.accountId), { ...body, sessionId }, (id) =>
        audited.line(caller)("notifications.browser_added", body.label, { id }),
      );
      return { status: 201, body: { id } };
    }),
    bind(unsubscribeBrowser, async ({ caller, params }) => {
      await notifications.unsubscribe(caller.accountId, params.id, () =>
        audited.line(caller)("notifications.browser_removed", String(params.id)),
      );
      return { status: 200, body: { done: true } };
    }),
    bind(testNotification, async ({ caller, body }) => {
      const { result, words } = await deliverer.test(
        feature.recipient(caller.accountId),
        body.channel,
        body.subscriptionId ?? null,
      );
      return { status: 200, body: { delivered: result === "delivered", text: detailEnglish(words), words } };
    }),
  ];
}

function shownPreferences(feature: Uses, { accounts }: AccessFeature, caller: Caller) {
  const { notifications, channels, deliverer } = feature;
  const person = feature.recipient(caller.accountId);
  const { householdId } = person;
  const chosen = notifications.preferences(person.id);
  const push = channels.find(householdId, "push");
  return {
    language: chosen.language,
    topics: chosen.topics,
    quiet: chosen.quiet,
    mutedUntil: isoTimeOrNull(chosen.mutedUntil),
    timeZone: accounts.timeZoneOf(householdId),
    ways: SENDING_CHANNELS.map((channel) => {
      const trouble = deliverer.trouble(person.id, channel);
      const words: Recorded | null = trouble === null ? null : trouble.words;
      const shown =
        trouble === null || words === null
          ? null
          : { text: detailEnglish(trouble.words), words, at: isoTime(trouble.at) };
      return { channel, open: channels.isOpen(householdId, channel), trouble: shown };
    }),
    email: { on: chosen.email, address: person.email },
    ntfy: { topic: chosen.ntfyTopic, server: channels.find(householdId, "ntfy")?.settings.server ?? null },
    push: {
      publicKey: push?.enabled === true ? push.settings.publicKey : null,
      subscriptions: notifications.subscriptions(person.id).map(({ id, label, sessionId, createdAt: at }) => ({
        id,
        label,
        isThisSession: sessionId === sessionIdOf(caller),
        createdAt: isoTime(at),
      })),
    },
  };
}

function channelRoutes({ channels }: Uses, { audited }: AccessFeature): BoundRoute[] {
  const shown = ({ householdId }: Caller) => {
    const ntfy = channels.find(householdId, "ntfy");
    const email = channels.find(householdId, "email");
    const push = channels.find(householdId, "push");
    return {
      status: 200 as const,
      body: {
        channels: {
          ntfy: ntfy === null ? null : { enabled: ntfy.enabled, ...ntfy.settings, hasToken: ntfy.hasSecret },
          email: email === null ? null : { enabled: email.enabled, ...email.settings, hasPassword: email.hasSecret },
          push: push === null ? null : { enabled: push.enabled, ...push.settings, hosts: [...push.settings.hosts] },
        },
      },
    };
  };
  const noted = (caller: Caller, channel: string, enabled: boolean) => () =>
    audited.line(caller)("notifications.channel_set", channel, { enabled });
  return [
    bind(getNotificationChannels, ({ caller }) => shown(caller)),
    bind(putNtfyChannel, async ({ caller, body }) => {
      const { enabled, token, ...settings } = body;
      await channels.putNtfy(caller.householdId, { enabled, settings, secret: token }, noted(caller, "ntfy", enabled));
      return shown(caller);
    }),
    bind(putEmailChannel, async ({ caller, body }) => {
      const { enabled, password, ...settings } = body;
      await channels.putEmail(
        caller.householdId,
        { enabled, settings, secret: password },
        noted(caller, "email", enabled),
      );
      return shown(caller);
    }),
    bind(putPushChannel, async ({ caller, body }) => {
      const { enabled, ...settings } = body;
      await channels.putPush(caller.householdId, { enabled, settings }, noted(caller, "push", enabled));
      return shown(caller);
    }),
  ];
}
