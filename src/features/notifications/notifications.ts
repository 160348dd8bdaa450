/**
 * Owns the notifications of persons: which feed items, on which channel, at which hours; and the messages still to be
 * sent.
 *
 * In: every feed item, inside the job that records it. Out: rows of the queue in the same transaction, so that nothing
 * recorded is forgotten; the deliverer sends them. A person without the right to see an item is not notified of it; the
 * right is checked when it is recorded and when it is sent. Must never know why something happened, or HTTP.
 */
import type { Facts } from "../../core/api/facts.ts";
import { type FeedReader, feedSight, isShown } from "../../core/api/feed-kinds.ts";
import {
  freshMs,
  kindsOf,
  type NotificationChannel,
  type NotificationTopic,
  SENDING_CHANNELS,
  type SendingChannel,
  type TopicChoice,
  topicOf,
} from "../../core/api/notification-topics.ts";
import { type Clock, MINUTE_MS } from "../../core/kernel/clock.ts";
import { dayAt } from "../../core/kernel/local-time.ts";
import { bodyRefused, Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import type { FeedText } from "../../core/text/keys.ts";
import type { Language } from "../../core/text/render.ts";
import { type Feed, type FeedItem, type FeedReach, SAME_EVENT_MS } from "../feed/feed.ts";
import { type Line, linesOf } from "../feed/rules/lines.ts";
import type { Channels } from "./channels.ts";
import { emptyRow, isHushed, type Preferences, preferencesOf, type QuietHours, topicsFor } from "./preferences.ts";
import { NotificationTable } from "./tables/notification.ts";
import { type NotificationPersonRow, NotificationPersonTable } from "./tables/notification-person.ts";
import { type PushSubscriptionRow, PushSubscriptionTable } from "./tables/push-subscription.ts";
import { arePushKeys, isPushEndpoint } from "./web-push.ts";

/** What notifications need to know about a person of a household. */
export interface Recipient {
  readonly id: number;
  readonly householdId: number;
  readonly email: string;
  /** Their rights when they are signed in. */
  readonly holder: FeedReader;
  /** When they joined, epoch ms: nothing from before is news to them. */
  readonly since: number;
}

/** A live household. */
export interface NotifiedSite {
  readonly householdId: number;
  /** IANA name. */
  readonly timeZone: string;
}

/** A person's edit of {@link Preferences}; absent members stay. */
export interface PreferencesEdit {
  readonly language?: Language | undefined;
  readonly topics?: Partial<Record<NotificationTopic, TopicChoice>> | undefined;
  readonly quiet?: QuietHours | null | undefined;
  /** From now on; 0 ends the mute. */
  readonly muteMinutes?: number | undefined;
  readonly email?: boolean | undefined;
}

/** A browser that wants messages. */
export interface NewSubscription {
  readonly sessionId: number;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly label: string;
}

/**
 * Items of one kind that may wait for one receiver: a flood of one kind crowds out no other. Further ones are found in
 * the console.
 */
const MOST_WAITING = 20;
const MOST_BROWSERS = 10;
/** The words with which a gate or lock reports that it was opened. */
const SAYS_OPEN = /^(?:(?:barrier|door|gate|lock)[ ._-])?(?:open(?:ed|ing)?|unlock(?:ed|ing)?)$/i;
/** Devices whose last message is remembered. */
const MOST_LATELY = 1_000;
/** Beyond this number it is shown as "that many and more". */
const MOST_COUNTED = 99;
const LIST_LENGTH = 100;
const TO_ALL: FeedReach = { by: null, says: null };

/** Decides and records the notifications of persons. */
export class Notifications {
  readonly #options: ConstructorParameters<typeof Notifications>[0];
  readonly #listeners = new Set<() => void>();
  /** Who has just been sent word of a danger: a rule's message about the same is no second message. */
  readonly #warned = new LatelyTold();
  /**
   * Who has just been told who opened: the gate's own report that it is open is then no second message, and vice versa.
   */
  readonly #toldWho = new LatelyTold();
  readonly #toldOpen = new LatelyTold();
  #tables: Tables | null = null;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly channels: Channels;
    /** The household of a site; null for a simulated one, which notifies nobody. */
    readonly site: (siteId: number) => NotifiedSite | null;
    /** All persons of a household. */
    readonly persons: (householdId: number) => readonly Recipient[];
    readonly feed: Pick<Feed, "list">;
    /** Whether a question about a plate read waits for an answer. */
    readonly isAsked: (siteId: number, readId: number) => boolean;
  }) {
    this.#options = options;
  }

  /** Calls `listener` once something new is to be sent. */
  onWaiting(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The queue, for the deliverer. */
  get queue(): NotificationTable {
    return this.#sql.queue;
  }

  /** The browsers, for the deliverer. */
  get browsers(): PushSubscriptionTable {
    return this.#sql.browsers;
  }

  /**
   * Queues a feed item for everybody who wants notifications of it, or for those of them whom it is for, but not for
   * the person whose own act it surely is. Called inside the job that records it.
   */
  recorded(item: Facts["feed.added"], { by, says }: FeedReach = TO_ALL): void {
    const { channels, clock, database } = this.#options;
    const topic = topicOf(item.kind);
    if (topic === null || !channels.anyOpen) return;
    const site = this.#options.site(item.siteId);
    const expiresAt = item.at + freshMs(topic);
    const now = clock.now();
    if (site === null || expiresAt <= now) return;
    const memory = this.#memoryOf(topic, says);
    let added = 0;
    for (const person of this.#options.persons(site.householdId)) {
      if (!isShown(person.holder, item) || item.recipients?.includes(person.id) === false) continue;
      if (by === person.id && !mayBeAnother(item)) {
        if (item.deviceId !== null) memory?.own.add(item.deviceId, String(person.id), now); // they know
        continue;
      }
      const preferences = this.preferences(person.id);
      const { channels: wanted, urgent } = preferences.topics[topic];
      if (wanted.length === 0 || (!urgent && isHushed(preferences, site.timeZone, now))) continue;
      for (const [channel, targetId] of this.#receivers(person, preferences)) {
        if (!wanted.includes(channel)) continue;
        const row = { accountId: person.id, channel, targetId, itemId: item.itemId, urgent: urgent ? 1 : 0, expiresAt };
        if (this.queue.count(row, item.kind) >= MOST_WAITING) continue;
        const receiver = `${person.id} ${channel} ${targetId}`;
        if (topic === "message" && item.becauseOf !== null && this.#warned.has(item.becauseOf, receiver, now)) continue;
        if (memory !== null && item.deviceId !== null) {
          const { deviceId } = item;
          if ([receiver, String(person.id)].some((one) => memory.other.has(deviceId, one, now))) continue;
          memory.own.add(item.deviceId, receiver, now);
        }
        if (item.kind === "device.danger" && item.deviceId !== null) this.#warned.add(item.deviceId, receiver, now);
        this.queue.insert(row);
        added += 1;
      }
    }
    if (added > 0) database.committed(() => this.#wake());
  }

  /**
   * Where it is noted who was told of an opening, by its author and by the gate itself; null: the item reports none.
   */
  #memoryOf(
    topic: NotificationTopic,
    says: string | null,
  ): { readonly own: LatelyTold; readonly other: LatelyTold } | null {
    if (topic === "opened") return { own: this.#toldWho, other: this.#toldOpen };
    const isOpen = topic === "event" && says !== null && SAYS_OPEN.test(says);
    return isOpen ? { own: this.#toldOpen, other: this.#toldWho } : null;
  }

  /** The enabled channels to a person on which they want this topic. */
  #receivers(
    { id, householdId }: Recipient,
    { email, ntfyTopic }: Preferences,
  ): (readonly [SendingChannel, number | null])[] {
    const { channels } = this.#options;
    const open = SENDING_CHANNELS.filter((channel) => channels.isOpen(householdId, channel));
    return open.flatMap((channel): (readonly [SendingChannel, number | null])[] => {
      if (channel === "push") return this.browsers.ofAccount(id).map((browser) => [channel, browser.id] as const);
      return (channel === "email" ? email : ntfyTopic !== null) ? [[channel, null]] : [];
    });
  }

  /** A person's choices; a mute that is over is none. */
  preferences(accountId: number): Preferences {
    const chosen = preferencesOf(this.#sql.persons.find(accountId));
    const { mutedUntil } = chosen;
    return { ...chosen, mutedUntil: mutedUntil !== null && mutedUntil > this.#options.clock.now() ? mutedUntil : null };
  }

  /** Changes what a person has chosen. */
  async edit(accountId: number, { language, topics, quiet, muteMinutes, email }: PreferencesEdit): Promise<void> {
    await this.#change(accountId, (row) => {
      const chosen = { ...preferencesOf(row).topics, ...topics };
      return {
        ...row,
        language: language ?? row.language,
        topics: topics === undefined ? row.topics : JSON.stringify(chosen),
        quiet: quiet === undefined ? row.quiet : quiet === null ? null : JSON.stringify(quiet),
        mutedUntil: muteMinutes === undefined ? row.mutedUntil : this.#muteOf(muteMinutes),
        email: email === undefined ? row.email : email ? 1 : 0,
      };
    });
    if (email === false) await this.#options.database.write(() => this.queue.removeChannel(accountId, "email"));
  }

  #muteOf(minutes: number): number {
    return minutes === 0 ? 0 : this.#options.clock.now() + minutes * MINUTE_MS;
  }

  /** Sets the ntfy topic of a person; null: none. */
  async setNtfyTopic(accountId: number, topic: string | null, beside: () => void = () => {}): Promise<void> {
    await this.#change(accountId, (row) => {
      beside();
      this.queue.removeChannel(accountId, "ntfy"); // it was meant for the previous topic
      return { ...row, ntfyTopic: topic };
    });
  }

  /**
   * A person's notifications in the console, newest first, with whether they have seen each: nothing that they did
   * themselves. Answered questions are never new, nor is their own sign-in: who reads this list has just done it.
   */
  list(siteId: number, person: Recipient): FeedItem[] {
    const { seenId } = this.#row(person.id);
    const items = this.#shown(siteId, person, person.since, LIST_LENGTH);
    const told = items
      .filter((item) => !isOwn(item, person.id, items))
      .map((item) => ({
        ...item,
        read: item.id <= seenId || item.by === person.id || this.#isSettled(siteId, item),
      }));
    const done = this.#doneAbout(siteId, person, told);
    return done.length === 0 ? told : [...told, ...done].sort((one, other) => other.at - one.at || other.id - one.id);
  }

  /** Rules that a danger in the list has set off: they belong to its line, and are no news of their own. */
  #doneAbout(siteId: number, { holder }: Recipient, told: readonly FeedItem[]): FeedItem[] {
    const dangers = told.filter(({ kind }) => kind === "device.danger");
    const sight = feedSight(holder);
    const kinds = sight.kinds.filter((kind) => kind === "automation.fired");
    const sinceMs = Math.min(...dangers.map(({ at }) => at)) - SAME_EVENT_MS;
    if (dangers.length === 0 || kinds.length === 0) return [];
    const ran = this.#options.feed.list(siteId, { limit: LIST_LENGTH, sinceMs, sight: { ...sight, kinds } });
    const isAbout = ({ becauseOf, at }: FeedItem): boolean =>
      dangers.some((danger) => danger.deviceId === becauseOf && Math.abs(danger.at - at) <= SAME_EVENT_MS);
    return ran.filter(isAbout).map((item) => ({ ...item, read: true }));
  }

  /** How many lines of the list are new; at most 99. */
  unread(siteId: number, person: Recipient): number {
    const { seenId, seenAt } = this.#row(person.id);
    const since = Math.max(person.since, seenAt);
    if (!this.#shown(siteId, person, since, MOST_COUNTED).some(({ id }) => id > seenId)) return 0; // the usual case
    const zone = this.#options.site(siteId)?.timeZone ?? "UTC";
    const days = Map.groupBy(this.list(siteId, person), ({ at }) => dayAt(zone, at));
    const lines = [...days.values()].flatMap((items) => linesOf(items));
    const isNew = ({ item, more, alike }: Line<FeedItem>): boolean =>
      [item, ...more, ...alike].some(({ read }) => !read);
    return Math.min(MOST_COUNTED, lines.filter(isNew).length);
  }

  /** Whether it asked something that has been answered. */
  #isSettled(siteId: number, { kind, readId }: Pick<FeedItem, "kind" | "readId">): boolean {
    return kind === "gate.asked" && readId !== null && !this.#options.isAsked(siteId, readId);
  }

  /** Notes that a person has seen everything up to an item. */
  async markSeen(siteId: number, person: Recipient, upToId: number): Promise<void> {
    await this.#options.database.write(() => this.noteSeen(siteId, person, upToId));
  }

  /** As {@link markSeen}, inside a job. */
  noteSeen(siteId: number, person: Recipient, upToId: number): void {
    const seen = this.list(siteId, person).filter(({ id }) => id <= upToId);
    const newest = seen.toSorted((one, other) => other.id - one.id)[0]; // the last to come may tell of the earlier one
    if (newest === undefined) return;
    this.#changeNow(person.id, (row) =>
      newest.id <= row.seenId ? row : { ...row, seenId: newest.id, seenAt: newest.at },
    );
  }

  /** The browsers of a person that take messages. */
  subscriptions(accountId: number): readonly PushSubscriptionRow[] {
    return this.browsers.ofAccount(accountId);
  }

  /**
   * Registers a browser; it ends with the person's session in it.
   * @throws Problem `invalid_body`, `limit_reached`, `conflict` while Web Push is off
   */
  async subscribe(
    person: Recipient,
    { sessionId, endpoint, p256dh, auth, label }: NewSubscription,
    beside: (id: number) => void = () => {},
  ): Promise<number> {
    const { channels, database, clock } = this.#options;
    const push = channels.find(person.householdId, "push");
    if (push === null || !push.enabled) throw new Problem("conflict", { code: "conflict.pushOff" });
    if (!isPushEndpoint(endpoint, push.settings.hosts))
      throw bodyRefused("/endpoint", "refused", { code: "refusal.notify.pushService" });
    if (!arePushKeys({ p256dh, auth })) throw bodyRefused("/p256dh", "refused", { code: "refusal.notify.browserKeys" });
    return database.write(() => {
      const others = this.browsers.ofAccount(person.id).filter((browser) => browser.endpoint !== endpoint);
      if (others.length >= MOST_BROWSERS)
        throw new Problem("limit_reached", { code: "refusal.most.browsers", limit: MOST_BROWSERS });
      const id = this.browsers.put({
        sessionId,
        accountId: person.id,
        endpoint,
        p256dh,
        auth,
        label,
        createdAt: clock.now(),
      });
      beside(id);
      return id;
    });
  }

  /** Removes a browser of a person. @throws Problem `not_found` */
  async unsubscribe(accountId: number, id: number, beside: () => void = () => {}): Promise<void> {
    await this.#options.database.write(() => {
      if (this.browsers.find(id)?.accountId !== accountId) throw new Problem("not_found", "There is no such browser.");
      this.browsers.remove(id);
      beside();
    });
  }

  #shown(siteId: number, person: Recipient, sinceMs: number, limit: number): readonly FeedItem[] {
    const wanted = kindsOf(topicsFor(this.preferences(person.id), "console" satisfies NotificationChannel));
    const sight = feedSight(person.holder);
    return this.#options.feed.list(siteId, {
      limit,
      sinceMs,
      sight: { ...sight, kinds: sight.kinds.filter((kind) => wanted.includes(kind)), recipient: person.id },
    });
  }

  #row(accountId: number): NotificationPersonRow {
    return this.#sql.persons.find(accountId) ?? emptyRow(accountId);
  }

  async #change(accountId: number, change: (row: NotificationPersonRow) => NotificationPersonRow): Promise<void> {
    await this.#options.database.write(() => this.#changeNow(accountId, change));
  }

  /** Inside a job. */
  #changeNow(accountId: number, change: (row: NotificationPersonRow) => NotificationPersonRow): void {
    const before = this.#row(accountId);
    const after = change(before);
    if (after !== before) this.#sql.persons.put(after);
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  get #sql(): Tables {
    const { database } = this.#options;
    this.#tables ??= {
      queue: new NotificationTable(database),
      persons: new NotificationPersonTable(database),
      browsers: new PushSubscriptionTable(database),
    };
    return this.#tables;
  }
}

/** Who has just been sent a message about a device, by receiver: what others got keeps nothing from anybody. */
class LatelyTold {
  readonly #receivers = new Map<string, { readonly at: number; readonly to: Set<string> }>();

  add(deviceId: string, receiver: string, now: number): void {
    const known = this.#receivers.get(deviceId);
    const to = known !== undefined && now - known.at < SAME_EVENT_MS ? known.to : new Set<string>();
    this.#receivers.delete(deviceId);
    this.#receivers.set(deviceId, { at: now, to: to.add(receiver) });
    const [oldest] = this.#receivers.keys();
    if (this.#receivers.size > MOST_LATELY && oldest !== undefined) this.#receivers.delete(oldest);
  }

  has(deviceId: string, receiver: string, now: number): boolean {
    const known = this.#receivers.get(deviceId);
    return known !== undefined && Math.abs(now - known.at) < SAME_EVENT_MS && known.to.has(receiver);
  }
}

/** Whether somebody else may have done it in a person's name: a sign-in with a browser that the hub does not know. */
function mayBeAnother({ words }: { readonly words?: FeedItem["words"] }): boolean {
  return words?.code === ("security.loginNew" satisfies FeedText["code"]);
}

/** Whether an item is a person's own act: also a rule's message about a device that they have just opened. */
function isOwn(item: FeedItem, accountId: number, items: readonly FeedItem[]): boolean {
  const { kind, by, becauseOf, at } = item;
  if (by !== null) return by === accountId && !mayBeAnother(item);
  return (
    kind === "automation.notify" &&
    becauseOf !== null &&
    items.some(
      (other) => other.by === accountId && other.deviceId === becauseOf && Math.abs(other.at - at) <= SAME_EVENT_MS,
    )
  );
}

interface Tables {
  readonly queue: NotificationTable;
  readonly persons: NotificationPersonTable;
  readonly browsers: PushSubscriptionTable;
}
