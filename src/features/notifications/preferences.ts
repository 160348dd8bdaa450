import {
  DEFAULT_CHOICES,
  NOTIFICATION_CHANNELS,
  NOTIFICATION_TOPICS,
  type NotificationChannel,
  type NotificationTopic,
  type TopicChoice,
} from "../../core/api/notification-topics.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { Language } from "../../core/text/render.ts";
import type { NotificationPersonRow } from "./tables/notification-person.ts";

/** Hours in which only urgent messages are sent; `HH:MM` in the household's zone. They may extend past midnight. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

/** One person's choices. */
export interface Preferences {
  readonly language: Language;
  readonly topics: Readonly<Record<NotificationTopic, TopicChoice>>;
  readonly quiet: QuietHours | null;
  /** Until when only urgent messages are sent, epoch ms; null: no mute. */
  readonly mutedUntil: number | null;
  /** Whether messages go to the account's address. */
  readonly email: boolean;
  readonly ntfyTopic: string | null;
}

/** A person's choices from their row; missing or unreadable ones have their defaults. */
export function preferencesOf(row: NotificationPersonRow | null): Preferences {
  const chosen = storedJson<Partial<Record<NotificationTopic, TopicChoice>>>(row?.topics ?? "{}", {});
  const topics = Object.fromEntries(
    NOTIFICATION_TOPICS.map((topic) => [topic, readable(chosen?.[topic]) ?? DEFAULT_CHOICES[topic]]),
  );
  const quiet = row?.quiet ? storedJson<QuietHours | null>(row.quiet, null) : null;
  return {
    language: row?.language ?? "en",
    topics: topics as Record<NotificationTopic, TopicChoice>, // every topic, by the line above
    quiet: quiet !== null && isTime(quiet.from) && isTime(quiet.to) ? quiet : null,
    mutedUntil: row?.mutedUntil ? row.mutedUntil : null,
    email: row?.email === 1,
    ntfyTopic: row?.ntfyTopic ?? null,
  };
}

/** A row for a person who has none. */
export function emptyRow(accountId: number): NotificationPersonRow {
  const seen = { seenId: 0, seenAt: 0 };
  return { accountId, language: "en", topics: "{}", quiet: null, email: 0, ntfyTopic: null, mutedUntil: 0, ...seen };
}

/** The topics that a person is notified about on a channel. */
export function topicsFor({ topics }: Preferences, channel: NotificationChannel): ReadonlySet<NotificationTopic> {
  return new Set(NOTIFICATION_TOPICS.filter((topic) => topics[topic].channels.includes(channel)));
}

/** Whether only urgent messages are sent to a person at a moment (epoch ms). */
export function isHushed({ quiet, mutedUntil }: Preferences, timeZone: string, at: number): boolean {
  return (mutedUntil !== null && at < mutedUntil) || isQuiet(quiet, timeZone, at);
}

/** Whether a moment (epoch ms) is in quiet hours, which include their first minute and not their last. */
export function isQuiet(quiet: QuietHours | null, timeZone: string, at: number): boolean {
  if (quiet === null || quiet.from === quiet.to) return false;
  const time = localTime(timeZone, at);
  return quiet.from < quiet.to ? time >= quiet.from && time < quiet.to : time >= quiet.from || time < quiet.to;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `HH:MM` of a moment in a zone. */
function localTime(timeZone: string, at: number): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  formats.set(timeZone, format);
  return format.format(at);
}

function readable(choice: TopicChoice | undefined): TopicChoice | null {
  if (typeof choice !== "object" || choice === null || !Array.isArray(choice.channels)) return null;
  return {
    channels: NOTIFICATION_CHANNELS.filter((channel) => choice.channels.includes(channel)),
    urgent: choice.urgent === true,
  };
}

function isTime(text: unknown): boolean {
  return typeof text === "string" && /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
}
