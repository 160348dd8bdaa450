import type { NotificationTopic } from "../../../core/api/notification-topics.ts";

/** Topics as people think of them. */
export const TOPIC_GROUPS = {
  danger: ["danger"],
  gate: ["asked", "followed", "watched", "denied", "unknown", "allowed", "guest", "opened", "full"],
  house: ["event", "message", "command", "offline", "battery", "rule"],
  hub: ["hub", "security", "update"],
} as const satisfies Readonly<Record<string, readonly NotificationTopic[]>>;

/** A group of topics. */
export type TopicGroup = keyof typeof TOPIC_GROUPS;
