/**
 * Owns the activity feed: a household's events in words, newest first.
 *
 * In: items from every part, written in the job of the change they describe. Out: pages of items, `feed.added` on the
 * bus once the item is on disk. Bounded by age, by number, and per device and period. The table in
 * core/api/feed-kinds.ts defines what a reader sees. Must never know why something happened: the parts that record
 * items decide on words and kinds.
 */
import { setImmediate } from "node:timers/promises";
import type { Facts } from "../../core/api/facts.ts";
import {
  FEED_KINDS,
  type FeedKind,
  type FeedSight,
  type ItemPicture,
  type NewFeedItem,
} from "../../core/api/feed-kinds.ts";
import type { Base } from "../../core/base.ts";
import type { AgedHistory } from "../../core/kernel/aged-history.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import { mentionsPlate, platesIn } from "../../core/plates/mention.ts";
import { storedJson, storedWords } from "../../core/storage/stored-json.ts";
import { feedEnglish } from "../../core/text/english.ts";
import type { Recorded } from "../../core/text/render.ts";
import { type ActivityPart, isByItself, kindsOfPart } from "./rules/activity.ts";
import { type FeedItemRow, FeedItemTable, type FeedPlace, type FeedPosition } from "./tables/feed-item.ts";

/** An item of the feed as lists give it; `at` is epoch milliseconds. */
export interface FeedItem {
  readonly id: number;
  readonly deviceId: string | null;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  /** Title and body as a code with values; null where a person or a device wrote them. */
  readonly words: Recorded | null;
  readonly read: boolean;
  /** The account of the person whose own act it is; null: of none. */
  readonly by: number | null;
  /** The device that set off the rule whose message it is. */
  readonly becauseOf: string | null;
  /** The plate read that it is about. */
  readonly readId: number | null;
  /** The camera whose picture goes with it. */
  readonly cameraId: string | null;
  readonly at: number;
}

/** What decides who is notified of an item, besides the item. */
export interface FeedReach {
  /** The account of the person whose own act it is. */
  readonly by: number | null;
  /** The device's own name for the event that it reports. */
  readonly says: string | null;
}

/** The requested part of the feed. */
export interface FeedQuery {
  readonly limit: number;
  /** Inclusive. */
  readonly sinceMs?: number;
  /** The last item of the page before. */
  readonly before?: FeedPosition;
  readonly unreadOnly?: boolean;
  /** Only what the person of this account did. */
  readonly by?: number | undefined;
  /** The reader's view (`feedSight` in core/api/feed-kinds.ts); default: everything, for the hub itself. */
  readonly sight?: FeedSight;
}

/** The requested page of the activity. */
export interface ActivityQuery {
  /** Null: everything but what nobody did. */
  readonly part: ActivityPart | null;
  /** Only what the person of this account did. */
  readonly by?: number | undefined;
  readonly limit: number;
  /** The last item of the page before. */
  readonly before?: FeedPosition | undefined;
  readonly sight: FeedSight;
}

/** A page of the activity. */
export interface ActivityPage {
  readonly events: readonly FeedItem[];
  /** What nobody did, in the time of the page. */
  readonly byItself: readonly FeedItem[];
  /** Where the next page begins; null: there is none. */
  readonly next: FeedPosition | null;
}

const EVERYTHING: FeedSight = { kinds: FEED_KINDS, vehicles: true };
const BEGIN_OF_TIME: FeedPosition = { at: Number.MIN_SAFE_INTEGER, id: 0 };
const END_OF_TIME: FeedPosition = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

/** The activity feed of all households. */
export class Feed {
  readonly #base: Base;
  readonly #shares = new TokenBuckets(SHARE);
  readonly #table: FeedItemTable;
  readonly #doers = new Map<string, { readonly by: number; readonly at: number }>();
  #onRecorded: ((item: Facts["feed.added"], reach: FeedReach) => void) | null = null;
  /** See {@link Feed.pastWhile}. */
  #past: Map<FeedKind, Facts["feed.added"]> | null = null;
  #leftOut = 0;

  constructor(base: Base) {
    this.#base = base;
    this.#table = new FeedItemTable(base.database);
  }

  /** Calls `listener` for each item inside the job that writes it, with whom it is for; must not throw. */
  onRecorded(listener: (item: Facts["feed.added"], reach: FeedReach) => void): void {
    this.#onRecorded = listener;
  }

  /** Items left out since the start because their device had sent too many. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /**
   * Inside a job: what `work` records is a household's made-up past. Nobody is notified of it, no device has a share in
   * it, and of each kind only the newest item is announced.
   */
  pastWhile<Result>(work: () => Result): Result {
    const { database, bus } = this.#base;
    const newest = new Map<FeedKind, Facts["feed.added"]>();
    this.#past = newest;
    try {
      return work();
    } finally {
      this.#past = null;
      database.committed(() => {
        for (const fact of newest.values()) bus.announce("feed.added", { ...fact, withEarlier: true });
      });
    }
  }

  /**
   * Writes an item and announces it once it is on disk. Called inside a job. Returns its id; null if the device has
   * reached the limit for this kind: its other effects are not affected.
   */
  record(item: NewFeedItem): number | null {
    const { siteId, kind, deviceId, at } = item;
    const past = this.#past;
    const hasShare =
      past !== null || deviceId === null || this.#shares.take(`${kind} ${deviceId}`, this.#base.clock.mono()).allowed;
    if (!hasShare) {
      this.#leftOut += 1;
      return null;
    }
    const { title, body, words } =
      "text" in item ? { ...feedEnglish(item.text), words: item.text } : { ...item, words: null };
    const aboutVehicles = item.aboutVehicles === true || mentionsPlate(title) || mentionsPlate(body);
    const row = { siteId, deviceId, kind, title, body, words: words === null ? null : JSON.stringify(words), at };
    const plates =
      aboutVehicles || /^(plate|automation)\./.test(kind)
        ? [...(item.plates ?? []), ...platesIn(`${title}\n${body}`)]
        : [];
    const { to = null, picture = item.readId === undefined ? null : { readId: item.readId } } = item.audience ?? {};
    // that a rule ran, or could not, is nobody's act
    const by = item.by ?? (kind === "automation.notify" ? this.#doerOf(item.becauseOf ?? null, at) : null);
    if (by !== null && deviceId !== null) this.#noteDoer(deviceId, by, at);
    const kept = {
      recipients: to && `,${to.join(",")},`,
      picture: picture && JSON.stringify(picture),
      byAccount: by,
      becauseOf: item.becauseOf ?? null,
    };
    const itemId = this.#table.insert({ ...row, ...kept, aboutVehicles: aboutVehicles ? 1 : 0 }, plates);
    const { database, bus } = this.#base;
    const fact: Facts["feed.added"] = {
      siteId,
      itemId,
      kind,
      deviceId,
      title,
      body,
      words,
      aboutVehicles,
      recipients: to,
      becauseOf: kept.becauseOf,
      ...pictured(picture),
      at,
    };
    if (past !== null) {
      if (at >= (past.get(kind)?.at ?? Number.NEGATIVE_INFINITY)) past.set(kind, fact);
      return itemId;
    }
    this.#onRecorded?.(fact, { by, says: item.says ?? null });
    database.committed(() => bus.announce("feed.added", fact));
    return itemId;
  }

  /** Who has just moved the device that set a rule off. */
  #doerOf(deviceId: string | null, at: number): number | null {
    const doer = deviceId === null ? undefined : this.#doers.get(deviceId);
    return doer !== undefined && Math.abs(at - doer.at) <= SAME_EVENT_MS ? doer.by : null;
  }

  #noteDoer(deviceId: string, by: number, at: number): void {
    this.#doers.delete(deviceId);
    this.#doers.set(deviceId, { by, at });
    const [oldest] = this.#doers.keys();
    if (this.#doers.size > MOST_DOERS && oldest !== undefined) this.#doers.delete(oldest);
  }

  /** Items newest first, by (at, id). */
  list(siteId: number, query: FeedQuery): FeedItem[] {
    const { limit, sinceMs = Number.MIN_SAFE_INTEGER, before = END_OF_TIME, sight = EVERYTHING } = query;
    const page = { sinceMs, before, limit, sight };
    const rows = query.unreadOnly
      ? this.#table.unread(siteId, page)
      : query.by === undefined
        ? this.#table.page(siteId, page)
        : this.#table.ofPerson(siteId, query.by, page);
    return rows.map(toItem);
  }

  /**
   * A page of what happened. Of everything, what nobody did is apart from the rest, or left out, so that two hundred
   * devices that come online hide nothing that somebody did.
   */
  activity(siteId: number, { part, by, limit, before, sight }: ActivityQuery): ActivityPage {
    const kinds = kindsOfPart(part ?? "all", sight.kinds);
    const isSplit = part === "all" && by === undefined;
    const page = { ...(before === undefined ? {} : { before }), limit: limit + 1, by };
    const found = this.list(siteId, {
      ...page,
      sight: { ...sight, kinds: isSplit || part === null ? kinds.filter((kind) => !isByItself(kind)) : kinds },
    });
    const events = found.slice(0, limit);
    const last = events.at(-1);
    const next = found.length > limit && last !== undefined ? { at: last.at, id: last.id } : null;
    if (!isSplit) return { events, byItself: [], next };
    const byItself = this.list(siteId, {
      ...page,
      limit: MOST_BY_ITSELF,
      ...(next === null ? {} : { sinceMs: next.at }),
      sight: { ...sight, kinds: kinds.filter(isByItself) },
    });
    return { events, byItself, next };
  }

  /** Unread items in sight; nothing beyond the newest 10,000 is counted. */
  unreadCount(siteId: number, sight: FeedSight = EVERYTHING): number {
    return this.#table.countUnread(siteId, sight);
  }

  /** Marks one item read or unread. @throws Problem `not_found`, also for one out of sight. */
  async markRead(siteId: number, itemId: number, read = true, sight: FeedSight = EVERYTHING): Promise<void> {
    await this.#base.database.write(() => {
      if (!this.#table.markRead(siteId, itemId, { read, sight }))
        throw new Problem("not_found", "There is no such feed item.");
    });
  }

  /** Marks everything in sight as read, up to and including `itemId`, the newest. Returns how many changed. */
  markAllRead(siteId: number, itemId: number, sight: FeedSight = EVERYTHING): Promise<number> {
    return this.#base.database.write(() => this.#table.markReadUpTo(siteId, itemId, sight));
  }

  /** Removes items beyond the limits; runs hourly. Returns how many. */
  async sweep(): Promise<number> {
    const keepRows = this.#base.settings().feed.maxRows;
    let gone = 0;
    for (const siteId of this.#table.sites())
      if ((await this.#count(siteId)) > keepRows) gone += await this.#trim(siteId, keepRows);
    return gone;
  }

  /** Overdue items of all households. */
  get aged(): AgedHistory {
    const { database, clock } = this.#base;
    const before = (days: number): number => clock.certain() - days * DAY_MS;
    const keepDays = (): number => this.#base.settings().feed.days;
    const sum = async (at: number): Promise<number> => {
      let total = 0;
      for (const siteId of this.#table.sites()) total += await this.#count(siteId, at);
      return total;
    };
    const remove = async (most: number): Promise<number> => {
      let gone = 0;
      for (const siteId of this.#table.sites()) {
        for (let batch = -1; batch !== 0 && gone < most; gone += batch)
          batch = await database.write(() =>
            this.#table.removeOlder(siteId, before(keepDays()), Math.min(MOST_REMOVED_AT_ONCE, most - gone)),
          );
      }
      return gone;
    };
    return {
      kind: "feed",
      setting: "feed.days",
      keepDays,
      held: () => sum(END_OF_TIME.at),
      due: (days) => sum(before(days)),
      remove,
    };
  }

  /** Removes a vehicle's feed items when its owner has everything about it deleted. Called inside a job. */
  forgetPlate(siteId: number, plate: string): void {
    this.#table.removeAbout(siteId, plate);
  }

  /**
   * The source that has filled the feed makes room in it: items of others stay. Walks the feed twice, a little at a
   * time: to count, and to remove the oldest.
   */
  async #trim(siteId: number, keepRows: number): Promise<number> {
    const { database } = this.#base;
    const counts = new Map<string, number>();
    for await (const places of this.#walk(siteId))
      for (const place of places) counts.set(sourceOf(place), (counts.get(sourceOf(place)) ?? 0) + 1);
    const share = fairShare([...counts.values()], keepRows);
    const over = new Map([...counts].flatMap(([source, count]) => (count > share ? [[source, count - share]] : [])));
    let gone = 0;
    for await (const places of this.#walk(siteId)) {
      if (over.size === 0) break;
      const ids = places.filter((place) => takeOne(over, sourceOf(place))).map(({ id }) => id);
      if (ids.length > 0) gone += await database.write(() => this.#table.remove(ids));
    }
    return gone;
  }

  /** The items of a site oldest first, a few at a time, with other work served in between. */
  async *#walk(siteId: number): AsyncGenerator<readonly FeedPlace[]> {
    let places: readonly FeedPlace[];
    for (let from: FeedPosition = BEGIN_OF_TIME; ; from = places.at(-1) ?? from) {
      places = this.#table.places(siteId, from, MOST_REMOVED_AT_ONCE);
      if (places.length === 0) return;
      yield places;
      await setImmediate();
    }
  }

  /** Items of a site that are older than `at`, counted a part at a time. */
  async #count(siteId: number, at: number = END_OF_TIME.at): Promise<number> {
    let count = 0;
    for (let from: FeedPosition = BEGIN_OF_TIME; ; count += MOST_COUNTED_AT_ONCE) {
      const next = this.#table.skip(siteId, from, { at, many: MOST_COUNTED_AT_ONCE });
      if (next === null) return count + this.#table.countBetween(siteId, from, at);
      from = next;
      await setImmediate();
    }
  }
}

const DAY_MS = 86_400_000;
/** Items that nobody did in a page of activity: they are folded into a line. */
const MOST_BY_ITSELF = 200;
/** A rule's message about a device this soon after a person has moved it counts as that person's act. */
export const SAME_EVENT_MS = 60_000;
/** Devices whose last doer is remembered. */
const MOST_DOERS = 200;
/** Maximum items examined and removed before yielding: each is in five indexes. */
const MOST_REMOVED_AT_ONCE = 250;
/** Most items counted before others get their turn: one or two milliseconds. */
const MOST_COUNTED_AT_ONCE = 20_000;
/** Items of one kind from one device: enough for a doorbell in a storm, not for a device that never stops. */
const SHARE = { quota: 30, periodMs: 60_000, burst: 200 };

/** The most that each may keep so that all together keep at most `room`. */
function fairShare(counts: readonly number[], room: number): number {
  let left = room;
  const ascending = [...counts].sort((one, other) => one - other);
  for (const [at, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (count > share) return share;
    left -= count;
  }
  return Number.POSITIVE_INFINITY;
}

/** An item's source as one text. */
function sourceOf({ deviceId, kind }: FeedPlace): string {
  return `${kind} ${deviceId ?? ""}`;
}

/** Takes one off a source's surplus; false if it has none. */
function takeOne(over: Map<string, number>, source: string): boolean {
  const left = over.get(source);
  if (left === undefined) return false;
  if (left === 1) over.delete(source);
  else over.set(source, left - 1);
  return true;
}

function toItem(row: FeedItemRow): FeedItem {
  const { id, deviceId, kind, title, body, at } = row;
  const words = storedWords(row.words);
  const { byAccount: by, becauseOf } = row;
  const picture = pictured(row.picture === null ? null : storedJson<ItemPicture | null>(row.picture, null));
  return { id, deviceId, kind, title, body, words, read: row.read === 1, by, becauseOf, ...picture, at };
}

/** The read and the camera whose picture goes with an item. */
function pictured(picture: ItemPicture | null): Pick<FeedItem, "readId" | "cameraId"> {
  return {
    readId: picture !== null && "readId" in picture ? picture.readId : null,
    cameraId: picture !== null && "deviceId" in picture ? picture.deviceId : null,
  };
}
