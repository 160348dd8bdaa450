/**
 * Sends the queued notifications: in order for each receiver (a person's ntfy topic, address or browser), several
 * receivers in parallel. A receiver waits longer after each failure; unwanted messages are dropped; many at once become
 * one message. Successes are written back in batches, to spare the disk: after a crash the last seconds' messages may
 * come twice. Must never know why an item was recorded.
 */
import { randomBytes } from "node:crypto";
import { type ItemPicture, isShown } from "../../core/api/feed-kinds.ts";
import type { NotificationChannel, SendingChannel } from "../../core/api/notification-topics.ts";
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Poster } from "../../core/kernel/post.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { Resolve, TargetPolicy } from "../../core/kernel/target.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import type { OwnAddress } from "../../core/platform/own-address.ts";
import type { Database } from "../../core/storage/database.ts";
import { storedWords } from "../../core/storage/stored-json.ts";
import type { Reader } from "../../core/text/for-reader.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { Accounts } from "../access/accounts.ts";
import type { Channels } from "./channels.ts";
import { sendEmail } from "./email.ts";
import {
  type AskedAbout,
  type Message,
  mergedMessage,
  messageOf,
  ownPicture,
  type Picture,
  testMessage,
} from "./message.ts";
import type { Notifications, NotifiedSite, Recipient } from "./notifications.ts";
import { sendNtfy } from "./ntfy.ts";
import type { Outcome } from "./outcome.ts";
import { isHushed } from "./preferences.ts";
import type { NotificationReceiver, WaitingNotification } from "./tables/notification.ts";
import { sendPush } from "./web-push.ts";

/** Which vehicle's picture is wanted: what passed a camera at a moment. */
export interface PictureOf {
  readonly deviceId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** In the form of reads; null if it was illegible. */
  readonly plate: string | null;
}

/** The last failure of a person's channel. */
export interface ChannelTrouble {
  readonly words: Detail;
  /** Epoch milliseconds. */
  readonly at: number;
}

const TIMEOUT_MS = 10_000;
const PARALLEL = 4;
/** From this many waiting messages on, they become one. */
const MERGE_FROM = 3;
/** Batteries that are found weak so soon after one another are one message. */
const GATHER_MS = 60_000;
/** A receiver's pause between messages: those that come meanwhile can be merged. */
const REST_MS = 4_000;
/** Messages to one receiver; further ones wait, and become one. */
const PACE = { quota: 20, periodMs: 600_000, burst: 20 };
const GAPS_MS = [10_000, 30_000, 120_000, 300_000, 600_000];
const SPREAD = 0.2;
const SAVE_AFTER_MS = 2_000;
/** Pause after a failure of the hub itself. */
const TROUBLE_MS = 15_000;
const DRAIN_MS = 700;
/** Limit of tests by one person. */
const TESTS = { quota: 10, periodMs: 600_000, burst: 6 };
const KEPT_OF_ANSWER = 2_048;

interface ReceiverState {
  busy: boolean;
  failures: number;
  /** Monotonic time before which nothing is sent. */
  resumeMono: number;
  /** It only rests: a question, which waits a minute at most, may go at once. */
  rests: boolean;
}

/** Delivers to all persons. */
export class NotificationDeliverer implements Service {
  readonly name = "notifications";
  readonly #options: ConstructorParameters<typeof NotificationDeliverer>[0];
  readonly #states = new Map<string, ReceiverState>();
  readonly #pace = new TokenBuckets(PACE);
  readonly #tests = new TokenBuckets(TESTS);
  readonly #troubles = new Map<string, ChannelTrouble>();
  readonly #turns = new Set<Promise<void>>();
  /** Rows that are done but not written down yet. */
  readonly #over = new Set<number>();
  #poster: Poster | null = null;
  #abort = new AbortController();
  #look: Timer | null = null;
  #save: Timer | null = null;
  #running = false;
  #sent = 0;
  #failed = 0;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly notifications: Notifications;
    readonly channels: Channels;
    readonly targets: TargetPolicy;
    /** A person's current data; null once they were removed. */
    readonly person: (accountId: number) => Recipient | null;
    readonly site: (siteId: number) => NotifiedSite | null;
    /** Know the household's zone, for messages that are not about an item. */
    readonly accounts: Pick<Accounts, "timeZoneOf">;
    /** The picture of the vehicle that an item is about; null if there is none. */
    readonly picture: (siteId: number, about: PictureOf) => Promise<Picture | null>;
    /** The picture that an item of this moment has of its own; null if it is gone, or no camera shows it any more. */
    readonly pictureWith: (siteId: number, own: ItemPicture, at: number) => Promise<Picture | null>;
    /** The question about a vehicle at a camera that waits for an answer; null if none does. */
    readonly asked: (siteId: number, about: PictureOf) => AskedAbout | null;
    /** Knows the console's address, for links. */
    readonly address: Pick<OwnAddress, "consoleUrl">;
    /** For tests: another resolver and further trusted authorities (PEM). */
    readonly resolve?: Resolve;
    readonly trusted?: string;
  }) {
    this.#options = options;
    options.notifications.onWaiting(() => this.#lookSoon());
  }

  /** Starts with the pending messages. The database is open. */
  async start(): Promise<void> {
    this.#options.channels.start();
    this.#running = true;
    this.#abort = new AbortController();
    this.#poster = this.#newPoster();
    this.#lookSoon();
  }

  /** Lets attempts in flight finish for a moment, aborts the rest, and writes down what was done. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#look?.stop();
    this.#save?.stop();
    const cut = setTimeout(() => this.#abort.abort(), DRAIN_MS);
    await Promise.allSettled(this.#turns);
    clearTimeout(cut);
    this.#poster?.close();
    await this.#saveOver();
  }

  /** Messages that were delivered, and attempts that failed, since the start. */
  get figures(): { readonly sent: number; readonly failed: number } {
    return { sent: this.#sent, failed: this.#failed };
  }

  /** The last failure of a person's channel, if nothing has been delivered since. */
  trouble(accountId: number, channel: NotificationChannel): ChannelTrouble | null {
    return this.#troubles.get(`${accountId} ${channel}`) ?? null;
  }

  /** Sends a test at once, beside the queue, and returns the outcome. @throws Problem `rate_limited` */
  async test(person: Recipient, channel: SendingChannel, targetId: number | null): Promise<Outcome> {
    const verdict = this.#tests.take(String(person.id), this.#options.clock.mono());
    if (!verdict.allowed)
      throw new Problem("rate_limited", "Too many tests; wait a little.", {
        fields: { retryAfterSeconds: verdict.retryAfterSeconds },
        headers: { "Retry-After": String(verdict.retryAfterSeconds) },
      });
    const { notifications, clock, accounts } = this.#options;
    const reader = {
      language: notifications.preferences(person.id).language,
      timeZone: accounts.timeZoneOf(person.householdId),
    };
    const poster = this.#newPoster(); // a connection of its own: it does not wait behind a delivery in flight
    const receiver = { accountId: person.id, channel, targetId };
    const outcome = await this.#send(receiver, person, testMessage(reader, clock.now()), poster).finally(() =>
      poster.close(),
    );
    this.#note(receiver, outcome);
    if (outcome.result === "delivered") this.#resume(receiver); // messages waiting for it go at once
    return outcome;
  }

  #newPoster(): Poster {
    const { targets, resolve, trusted } = this.#options;
    const further = { ...(resolve ? { resolve } : {}), ...(trusted === undefined ? {} : { trusted }) };
    return new Poster({ targets, timeoutMs: TIMEOUT_MS, keepBytes: KEPT_OF_ANSWER, ...further });
  }

  #lookSoon(): void {
    this.#lookAt(this.#options.clock.mono());
  }

  #lookAt(dueMono: number): void {
    if (!this.#running) return;
    this.#look?.stop();
    this.#look = this.#options.clock.at(dueMono, () => this.#fillPlaces());
  }

  /** Gives free places to receivers with pending messages; checks again when the next of them may continue. */
  #fillPlaces(): void {
    if (!this.#running) return;
    const now = this.#options.clock.mono();
    let nextMono = Number.POSITIVE_INFINITY;
    for (const receiver of this.#receivers()) {
      const state = this.#state(receiver);
      if (state.busy) continue;
      const isHeld = state.resumeMono > now && !(state.rests && this.#waiting(receiver).some(isQuestion));
      const gatherMs = isHeld ? 0 : this.#gatherMs(receiver);
      if (isHeld || gatherMs > 0 || this.#turns.size >= PARALLEL) {
        nextMono = Math.min(nextMono, Math.max(state.resumeMono, now + Math.max(50, gatherMs)));
        continue;
      }
      state.busy = true;
      const turn: Promise<void> = this.#turn(receiver, state)
        .catch((error: unknown) => {
          this.#options.logger.error({ err: error }, "notifications are held up by the hub itself");
          state.resumeMono = this.#options.clock.mono() + TROUBLE_MS;
        })
        .then(() => {
          state.busy = false;
          this.#turns.delete(turn);
          this.#lookSoon();
        });
      this.#turns.add(turn);
    }
    if (nextMono !== Number.POSITIVE_INFINITY) this.#lookAt(nextMono);
  }

  /** Receivers with rows that are not done; a database that cannot be read has none. */
  #receivers(): NotificationReceiver[] {
    try {
      return this.#options.notifications.queue.receivers().filter((receiver) => this.#waiting(receiver).length > 0);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "the queue of notifications cannot be read");
      return [];
    }
  }

  #waiting(receiver: NotificationReceiver): WaitingNotification[] {
    return this.#options.notifications.queue.waiting(receiver).filter(({ id }) => !this.#over.has(id));
  }

  /** How long what waits can wait for more of its kind: weak batteries are found one after the other. */
  #gatherMs(receiver: NotificationReceiver): number {
    const waiting = this.#waiting(receiver);
    if (!waiting.every(({ kind }) => kind === "device.battery_low")) return 0;
    const age = this.#options.clock.now() - Math.min(...waiting.map(({ at }) => at));
    return age < 0 ? 0 : Math.max(0, GATHER_MS - age);
  }

  #state(receiver: NotificationReceiver): ReceiverState {
    const key = keyOf(receiver);
    const state = this.#states.get(key) ?? {
      busy: false,
      failures: 0,
      resumeMono: Number.NEGATIVE_INFINITY,
      rests: false,
    };
    this.#states.set(key, state);
    return state;
  }

  #resume(receiver: NotificationReceiver): void {
    const state = this.#state(receiver);
    state.failures = 0;
    state.resumeMono = Number.NEGATIVE_INFINITY;
    this.#lookSoon();
  }

  /** One message to one receiver. */
  async #turn(receiver: NotificationReceiver, state: ReceiverState): Promise<void> {
    const { database, clock, person: find } = this.#options;
    const rows = this.#waiting(receiver);
    const person = find(receiver.accountId);
    const wanted = person === null ? [] : rows.filter((row) => this.#isWanted(row, person));
    const kept = new Set(wanted);
    this.#finish(rows.filter((row) => !kept.has(row)));
    const [first] = wanted;
    if (first === undefined || person === null) return;
    const question = wanted.findLast(isQuestion);
    const batch = question !== undefined ? [question] : wanted.length >= MERGE_FROM ? wanted : [first];
    await database.durable(); // nothing leaves the hub that a power cut may take back
    const outcome = await this.#send(
      receiver,
      person,
      await this.#message(batch, person),
      this.#poster ?? this.#newPoster(),
    );
    if (this.#abort.signal.aborted && outcome.result !== "delivered") return; // aborted by the hub
    this.#note(receiver, outcome);
    if (outcome.result === "retry") {
      const gap = GAPS_MS[Math.min(state.failures, GAPS_MS.length - 1)] ?? 0;
      state.failures += 1;
      state.rests = false;
      state.resumeMono = clock.mono() + Math.max(outcome.afterMs ?? 0, gap * (1 - SPREAD + 2 * SPREAD * anyShare()));
      return;
    }
    state.failures = 0;
    this.#finish(batch);
    if (outcome.result === "ended" && receiver.targetId !== null) await this.#end(receiver.targetId);
    const pace = this.#pace.take(keyOf(receiver), clock.mono());
    state.rests = pace.remaining > 0;
    state.resumeMono = clock.mono() + Math.max(REST_MS, pace.remaining > 0 ? 0 : pace.retryAfterSeconds * 1_000);
  }

  /** Whether it is not too old, still theirs to see, on a channel that is still enabled, and not in quiet hours. */
  #isWanted(row: WaitingNotification, person: Recipient): boolean {
    const { clock, channels, notifications, site: siteOf } = this.#options;
    const site = siteOf(row.siteId);
    const now = clock.now();
    if (site === null || row.expiresAt <= now || !channels.isOpen(person.householdId, row.channel)) return false;
    // it was queued for those whom it is for
    const sight = { kind: row.kind, aboutVehicles: row.aboutVehicles === 1, recipients: null };
    if (!isShown(person.holder, sight)) return false;
    return row.urgent === 1 || !isHushed(notifications.preferences(person.id), site.timeZone, now);
  }

  async #message(batch: readonly WaitingNotification[], person: Recipient): Promise<Message> {
    const { clock, notifications, site: siteOf, picture, pictureWith, asked } = this.#options;
    const [first] = batch;
    if (first === undefined) throw new Error("a message is about something");
    const { language } = notifications.preferences(person.id);
    const reader: Reader = { language, timeZone: siteOf(first.siteId)?.timeZone ?? "UTC" };
    if (batch.length > 1) return mergedMessage(batch, reader, clock.now());
    const { deviceId, kind, at } = first;
    const isAboutRead = kind.startsWith("plate.") || isQuestion(first);
    const about = deviceId === null || !isAboutRead ? null : { deviceId, at, plate: plateIn(first) };
    const own = ownPicture(first);
    const looked =
      own !== null ? pictureWith(first.siteId, own, at) : about !== null ? picture(first.siteId, about) : null;
    const found = await looked?.catch(() => null);
    const question = about === null || !isQuestion(first) ? null : asked(first.siteId, about);
    return messageOf(first, reader, { now: clock.now(), picture: found ?? null, asked: question });
  }

  async #send(
    { channel, targetId }: NotificationReceiver,
    person: Recipient,
    message: Message,
    poster: Poster,
  ): Promise<Outcome> {
    const { channels, notifications, targets, resolve, trusted, address } = this.#options;
    const { householdId } = person;
    const { ntfyTopic } = notifications.preferences(person.id);
    const { signal } = this.#abort;
    let secret: string | null;
    try {
      secret = channels.secret(householdId, channel);
    } catch {
      return { result: "retry", words: { code: "notify.noSecret" } };
    }
    if (!channels.isOpen(householdId, channel)) return NOT_SET_UP;
    if (channel === "ntfy") {
      const ntfy = channels.find(householdId, "ntfy");
      if (ntfy === null || ntfyTopic === null) return NOT_SET_UP;
      return sendNtfy(
        poster,
        message,
        { ...ntfy.settings, topic: ntfyTopic, token: secret, consoleUrl: address.consoleUrl() },
        signal,
      );
    }
    if (channel === "email") {
      const email = channels.find(householdId, "email");
      if (email === null) return NOT_SET_UP;
      const to = {
        password: secret,
        to: person.email,
        consoleUrl: address.consoleUrl(),
        targets,
        timeoutMs: TIMEOUT_MS,
        signal,
        resolve,
        trusted,
      };
      return sendEmail(message, { ...email.settings, ...to });
    }
    const push = channels.find(householdId, "push");
    const subscription = targetId === null ? null : notifications.browsers.find(targetId);
    if (push === null || secret === null || subscription === null || subscription.accountId !== person.id)
      return NOT_SET_UP;
    return sendPush(poster, message, { ...push.settings, privateKey: secret, subscription }, signal);
  }

  #note({ accountId, channel }: NotificationReceiver, outcome: Outcome): void {
    const key = `${accountId} ${channel}`;
    if (outcome.result === "delivered") {
      this.#sent += 1;
      this.#troubles.delete(key);
      return;
    }
    this.#failed += 1;
    this.#troubles.set(key, { words: outcome.words, at: this.#options.clock.now() });
    this.#options.logger.debug({ accountId, channel, words: outcome.words }, "a notification was not delivered");
  }

  async #end(targetId: number): Promise<void> {
    await this.#options.database.write(() => this.#options.notifications.browsers.remove(targetId));
  }

  #finish(rows: readonly WaitingNotification[]): void {
    for (const { id } of rows) this.#over.add(id);
    if (rows.length > 0) this.#save ??= this.#options.clock.after(SAVE_AFTER_MS, () => void this.#saveOver());
  }

  /** Records finished messages. If the disk refuses, they stay in memory, and none is sent twice. */
  async #saveOver(): Promise<void> {
    this.#save = null;
    const ids = [...this.#over];
    if (ids.length === 0) return;
    try {
      await this.#options.database.write(() => this.#options.notifications.queue.remove(ids), "patient");
      for (const id of ids) this.#over.delete(id);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "sent notifications could not be recorded");
      if (this.#running) this.#save ??= this.#options.clock.after(TROUBLE_MS, () => void this.#saveOver());
    }
  }
}

const NOT_SET_UP: Outcome = { result: "rejected", words: { code: "notify.notSetUp" } };

function keyOf({ accountId, channel, targetId }: NotificationReceiver): string {
  return `${accountId} ${channel} ${targetId ?? ""}`;
}

function isQuestion({ kind }: WaitingNotification): boolean {
  return kind === "gate.asked";
}

/** The plate that an item is about. */
function plateIn({ words }: WaitingNotification): string | null {
  const plate = storedWords(words)?.plate;
  return typeof plate === "string" && plate !== "" ? plate : null;
}

/** A random number in [0, 1). */
function anyShare(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}
