import type { FeedKind } from "./feed-kinds.ts";

/**
 * What persons choose to be notified about, in the order in which they are asked. One topic may cover several feed
 * kinds.
 */
export const NOTIFICATION_TOPICS = [
  "danger",
  "asked",
  "followed",
  "watched",
  "denied",
  "unknown",
  "allowed",
  "guest",
  "opened",
  "full",
  "event",
  "message",
  "command",
  "offline",
  "battery",
  "rule",
  "hub",
  "security",
  "update",
] as const;

/** One of {@link NOTIFICATION_TOPICS}. */
export type NotificationTopic = (typeof NOTIFICATION_TOPICS)[number];

/** Channels to a person. `console` is the page of the console and needs no set-up. */
export const NOTIFICATION_CHANNELS = ["console", "push", "ntfy", "email"] as const;

/** One of {@link NOTIFICATION_CHANNELS}. */
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

/** A channel that leaves the hub: something is sent. */
export type SendingChannel = Exclude<NotificationChannel, "console">;

/** The channels that send. */
export const SENDING_CHANNELS = ["push", "ntfy", "email"] as const satisfies readonly SendingChannel[];

/** The topic of every feed kind; null: nobody is notified of it. A new kind cannot be forgotten here. */
const TOPIC_OF: Readonly<Record<FeedKind, NotificationTopic | null>> = {
  "device.added": null,
  "device.removed": null,
  "device.online": "offline",
  "device.offline": "offline",
  "device.firmware": null,
  "device.event": "event",
  "device.danger": "danger",
  "device.danger_over": "danger",
  "device.battery_low": "battery",
  "command.failed": "command",
  "scene.activated": null,
  "house.mode": null,
  "automation.fired": null,
  "automation.failed": "rule",
  "automation.paused": "rule",
  "automation.notify": "message",
  "automation.private": "rule",
  "plate.allowed": "allowed",
  "plate.denied": "denied",
  "plate.watch": "watched",
  "plate.unknown": "unknown",
  "plate.unrecognised": "unknown",
  "guest.plate": "guest",
  "gate.opened": "opened",
  "gate.not_opened": "command",
  "gate.not_closed": "command",
  "gate.asked": "asked",
  "gate.kept_shut": null,
  "gate.followed": "followed",
  "occupancy.full": "full",
  "estate.late_ban": "denied",
  "estate.rule_dropped": "hub",
  "estate.rule_settled": "hub",
  "webhook.disabled": "hub",
  "webhook.enabled": null,
  "key.created": "security",
  "key.revoked": "security",
  "security.login": "security",
  "security.login_failed": "security",
  "security.password_changed": "security",
  "security.grants_ended": "security",
  "security.restored": "security",
  "security.passkey_added": "security",
  "security.passkey_removed": "security",
  "system.started": "update",
  "system.update": "update",
  "system.backup": "hub",
  "system.storage": "hub",
  "system.storage_low": "hub",
  "system.clock": "hub",
};

/** The topic of a kind; null: nobody is notified of it. */
export function topicOf(kind: FeedKind): NotificationTopic | null {
  return TOPIC_OF[kind];
}

/** The kinds of the feed that belong to topics. */
export function kindsOf(topics: ReadonlySet<NotificationTopic>): readonly FeedKind[] {
  const kinds = Object.entries(TOPIC_OF).filter(([, topic]) => topic !== null && topics.has(topic));
  return kinds.map(([kind]) => kind as FeedKind); // keys of the table
}

/** How long after the event a message of a topic is still sent, ms: a gate message two hours late only confuses. */
const MINUTE_MS = 60_000;
const FRESH_MS: Readonly<Record<NotificationTopic, number>> = {
  danger: 120 * MINUTE_MS,
  asked: MINUTE_MS,
  followed: 30 * MINUTE_MS,
  allowed: 15 * MINUTE_MS,
  denied: 30 * MINUTE_MS,
  watched: 30 * MINUTE_MS,
  unknown: 30 * MINUTE_MS,
  guest: 120 * MINUTE_MS,
  opened: 15 * MINUTE_MS,
  full: 30 * MINUTE_MS,
  offline: 120 * MINUTE_MS,
  battery: 24 * 60 * MINUTE_MS,
  event: 15 * MINUTE_MS,
  command: 30 * MINUTE_MS,
  message: 60 * MINUTE_MS,
  rule: 12 * 60 * MINUTE_MS,
  hub: 24 * 60 * MINUTE_MS,
  update: 24 * 60 * MINUTE_MS,
  security: 24 * 60 * MINUTE_MS,
};

/** How long after the event a message of a topic is still sent, ms. */
export function freshMs(topic: NotificationTopic): number {
  return FRESH_MS[topic];
}

/** What a person has chosen for a topic. */
export interface TopicChoice {
  readonly channels: readonly NotificationChannel[];
  /** In quiet hours too, and with the priority that makes a phone ring. */
  readonly urgent: boolean;
}

const EVERYWHERE: TopicChoice = { channels: NOTIFICATION_CHANNELS, urgent: false };
const IN_CONSOLE: TopicChoice = { channels: ["console"], urgent: false };

/**
 * A topic's choice until a person makes another one. The channels that send are off until a person switches them on.
 */
export const DEFAULT_CHOICES: Readonly<Record<NotificationTopic, TopicChoice>> = {
  danger: { channels: NOTIFICATION_CHANNELS, urgent: true },
  asked: { channels: NOTIFICATION_CHANNELS, urgent: true },
  followed: EVERYWHERE,
  allowed: { channels: [], urgent: false },
  denied: EVERYWHERE,
  watched: { channels: NOTIFICATION_CHANNELS, urgent: true },
  unknown: EVERYWHERE,
  guest: EVERYWHERE,
  opened: IN_CONSOLE,
  full: IN_CONSOLE,
  // devices come and go by the hundred after a power cut; who wants to know says so, or writes a rule for one device
  offline: { channels: [], urgent: false },
  battery: IN_CONSOLE,
  event: EVERYWHERE,
  command: EVERYWHERE,
  message: EVERYWHERE,
  rule: IN_CONSOLE,
  hub: { channels: NOTIFICATION_CHANNELS, urgent: true },
  update: IN_CONSOLE,
  security: { channels: NOTIFICATION_CHANNELS, urgent: true },
};
