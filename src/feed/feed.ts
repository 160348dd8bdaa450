/**
 * Owns the activity feed: what happened in a household, in words, newest first.
 *
 * In: items from every part, written in the job of the change they tell of. Out: pages of items, `feed.added` on the bus
 * once the item is on disk. Bounded by age and by number. What a reader is shown follows the table in contract/feed-kinds.ts.
 * Must never know: why something happened; the parts that record items decide on words and kinds.
 */
import type { Facts } from "../contract/facts.js";
import { FEED_KINDS, type FeedKind, type FeedSight, type FeedWords } from "../contract/feed-kinds.js";
import { mentionsPlate } from "../domain/plates/mention.js";
import type { Bus } from "../kernel/bus.js";
import { Problem } from "../kernel/problem.js";
import type { Database } from "../storage/database.js";
import { type FeedItemRow, FeedItemTable, type FeedPosition } from "../storage/tables/feed-item.js";

/** Something worth telling; `at` is epoch milliseconds. */
export interface NewFeedItem {
  readonly siteId: number;
  readonly kind: FeedKind;
  readonly deviceId: string | null;
  readonly title: string;
  readonly body: string;
  readonly words?: FeedWords | undefined;
  /** Its words tell of vehicles although its kind does not: only who may read plates is shown it. Plates in title and body are found anyway. */
  readonly aboutVehicles?: boolean | undefined;
  readonly at: number;
}

/** An item of the feed as lists give it; `at` is epoch milliseconds. */
export interface FeedItem {
  readonly id: number;
  readonly deviceId: string | null;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  /** For pages in other languages; null where title and body are all there is. */
  readonly words: FeedWords | null;
  readonly read: boolean;
  readonly at: number;
}

/** Which part of the feed is asked for. */
export interface FeedQuery {
  readonly limit: number;
  /** Inclusive. */
  readonly sinceMs?: number;
  /** The last item of the page before. */
  readonly before?: FeedPosition;
  readonly unreadOnly?: boolean;
  /** What the asker is shown ({@link feedSight}); everything unless given, for the hub itself. */
  readonly sight?: FeedSight;
}

/** What {@link Feed} works with. */
export interface FeedOptions {
  readonly database: Database;
  readonly bus: Bus<Facts>;
  /** Items older than this go. */
  readonly keepMs: number;
  /** Items of one household beyond this number go, oldest first. */
  readonly keepRows: number;
}

const EVERYTHING: FeedSight = { kinds: FEED_KINDS, vehicles: true };
const END_OF_TIME: FeedPosition = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

/** The activity feed of all households. */
export class Feed {
  readonly #options: FeedOptions;
  #rows: FeedItemTable | null = null;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Writes an item and announces it once it is on disk. Called inside a job. Returns its id. */
  record(item: NewFeedItem): number {
    const { siteId, kind, deviceId, title, body, words = null, at } = item;
    const aboutVehicles = item.aboutVehicles === true || mentionsPlate(title) || mentionsPlate(body);
    const row = { site_id: siteId, device_id: deviceId, kind, title, body, words: words === null ? null : JSON.stringify(words), at };
    const itemId = this.#table.insert({ ...row, about_vehicles: aboutVehicles ? 1 : 0 });
    const { database, bus } = this.#options;
    database.committed(() => bus.announce("feed.added", { siteId, itemId, kind, deviceId, title, body, words, aboutVehicles, at }));
    return itemId;
  }

  /** Items newest first, by (at, id). */
  list(siteId: number, query: FeedQuery): FeedItem[] {
    const { limit, sinceMs = Number.MIN_SAFE_INTEGER, before = END_OF_TIME, sight = EVERYTHING } = query;
    const page = { sinceMs, before, limit, sight };
    const rows = query.unreadOnly ? this.#table.unread(siteId, page) : this.#table.page(siteId, page);
    return rows.map(toItem);
  }

  /** Unread items in sight; beyond the newest 10,000 nothing is counted. */
  unreadCount(siteId: number, sight: FeedSight = EVERYTHING): number {
    return this.#table.countUnread(siteId, sight);
  }

  /** Marks one item read or unread. @throws Problem `not_found`, also for one out of sight. */
  async markRead(siteId: number, itemId: number, read = true, sight: FeedSight = EVERYTHING): Promise<void> {
    await this.#options.database.write(() => {
      if (!this.#table.markRead(siteId, itemId, { read, sight })) throw new Problem("not_found", "There is no such feed item.");
    });
  }

  /** Marks everything in sight read up to and including `itemId`, the newest of it. Returns how many changed. */
  markAllRead(siteId: number, itemId: number, sight: FeedSight = EVERYTHING): Promise<number> {
    return this.#options.database.write(() => this.#table.markReadUpTo(siteId, itemId, sight));
  }

  /** Removes what is too old or too much, a bounded number at a time; run hourly. Returns how many went. */
  async sweep(nowMs: number): Promise<number> {
    const { database, keepMs, keepRows } = this.#options;
    let gone = 0;
    for (const { siteId, count } of this.#table.counts()) {
      const old = await database.write(() => this.#table.removeOlder(siteId, nowMs - keepMs));
      const over = Math.min(MOST_AT_ONCE, count - old - keepRows);
      gone += old + (over > 0 ? await database.write(() => this.#table.trim(siteId, over)) : 0);
    }
    return gone;
  }

  /** Removes what the feed says of a vehicle, when its owner has everything about it deleted. Called inside a job. */
  forgetTexts(siteId: number, texts: readonly string[]): void {
    for (const text of texts) this.#table.removeMentioning(siteId, text);
  }

  get #table(): FeedItemTable {
    this.#rows ??= new FeedItemTable(this.#options.database.raw);
    return this.#rows;
  }
}

/** Most rows one sweep removes of one household for number: keeps the transaction short. */
const MOST_AT_ONCE = 5_000;

function toItem(row: FeedItemRow): FeedItem {
  const { id, device_id: deviceId, kind, title, body, at } = row;
  const words = row.words === null ? null : (JSON.parse(row.words) as FeedWords); // written by record()
  return { id, deviceId, kind, title, body, words, read: row.read === 1, at };
}
