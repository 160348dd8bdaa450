import type SqliteDatabase from "better-sqlite3";

/** A row of `feed_item`. */
export interface FeedItemRow {
  readonly id: number;
  readonly site_id: number;
  readonly device_id: string | null;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  /** JSON; null = title and body are all there is. */
  readonly words: string | null;
  readonly read: number;
  readonly at: number;
}

/** Where a page of the feed begins: items older than this one, by (at, id). */
export interface FeedPosition {
  readonly at: number;
  readonly id: number;
}

/** Which items are asked for: not older than `sinceMs`, before `before`, of other kinds than `without`. */
export interface FeedPage {
  readonly sinceMs: number;
  readonly before: FeedPosition;
  readonly limit: number;
  readonly without: readonly string[];
}

/** Takes kinds as a JSON list of texts; a kind is found in it with its quotes. */
const NOT_AMONG = `instr(?, '"' || kind || '"') = 0`;

/** All SQL of `feed_item`. */
export class FeedItemTable {
  readonly #insert;
  readonly #page;
  readonly #unread;
  readonly #countUnread;
  readonly #markRead;
  readonly #markReadUpTo;
  readonly #removeOlder;
  readonly #counts;
  readonly #trim;
  readonly #removeMentioning;

  constructor(raw: SqliteDatabase.Database) {
    this.#insert = raw.prepare<[Omit<FeedItemRow, "id" | "read">]>(
      "INSERT INTO feed_item (site_id, device_id, kind, title, body, words, at) VALUES (:site_id, :device_id, :kind, :title, :body, :words, :at)",
    );
    this.#page = raw.prepare<[number, number, number, number, string, number], FeedItemRow>(
      `SELECT * FROM feed_item WHERE site_id = ? AND at >= ? AND (at, id) < (?, ?) AND ${NOT_AMONG} ORDER BY at DESC, id DESC LIMIT ?`,
    );
    this.#unread = raw.prepare<[number, number, number, number, string, number], FeedItemRow>(
      `SELECT * FROM feed_item WHERE site_id = ? AND read = 0 AND at >= ? AND (at, id) < (?, ?) AND ${NOT_AMONG} ORDER BY at DESC, id DESC LIMIT ?`,
    );
    this.#countUnread = raw.prepare<[number, string], { count: number }>(
      `SELECT count(*) AS count FROM feed_item WHERE site_id = ? AND read = 0 AND ${NOT_AMONG}`,
    );
    this.#markRead = raw.prepare<[number, number, number]>("UPDATE feed_item SET read = ? WHERE id = ? AND site_id = ?");
    this.#markReadUpTo = raw.prepare<[number, number, string]>(`UPDATE feed_item SET read = 1 WHERE site_id = ? AND read = 0 AND id <= ? AND ${NOT_AMONG}`);
    this.#removeOlder = raw.prepare<[number, number]>(
      "DELETE FROM feed_item WHERE id IN (SELECT id FROM feed_item WHERE site_id = ? AND at < ? ORDER BY at LIMIT 5000)",
    );
    this.#counts = raw.prepare<[], { site_id: number; count: number }>("SELECT site_id, count(*) AS count FROM feed_item GROUP BY site_id");
    this.#removeMentioning = raw.prepare<[number, string, string]>(
      "DELETE FROM feed_item WHERE site_id = ? AND (kind LIKE 'plate.%' OR kind LIKE 'automation.%') AND (instr(title, ?) > 0 OR instr(body, ?) > 0)",
    );
    this.#trim = raw.prepare<[number, number]>("DELETE FROM feed_item WHERE id IN (SELECT id FROM feed_item WHERE site_id = ? ORDER BY at, id LIMIT ?)");
  }

  /** Removes gate and automation items whose words hold `text`; returns how many. */
  removeMentioning(siteId: number, text: string): number {
    return this.#removeMentioning.run(siteId, text, text).changes;
  }

  /** Returns the new item's id. */
  insert(row: Omit<FeedItemRow, "id" | "read">): number {
    return Number(this.#insert.run(row).lastInsertRowid);
  }

  /** Items of the page, newest first. */
  page(siteId: number, { sinceMs, before, limit, without }: FeedPage): FeedItemRow[] {
    return this.#page.all(siteId, sinceMs, before.at, before.id, JSON.stringify(without), limit);
  }

  /** Like {@link page}, unread items only. */
  unread(siteId: number, { sinceMs, before, limit, without }: FeedPage): FeedItemRow[] {
    return this.#unread.all(siteId, sinceMs, before.at, before.id, JSON.stringify(without), limit);
  }

  /** Unread items of other kinds than `without`. */
  countUnread(siteId: number, without: readonly string[]): number {
    return this.#countUnread.get(siteId, JSON.stringify(without))?.count ?? 0;
  }

  /** Returns whether the site has such an item. */
  markRead(siteId: number, id: number, read: boolean): boolean {
    return this.#markRead.run(read ? 1 : 0, id, siteId).changes > 0;
  }

  /** Marks every item up to and including `id` of other kinds than `without`; returns how many changed. */
  markReadUpTo(siteId: number, id: number, without: readonly string[]): number {
    return this.#markReadUpTo.run(siteId, id, JSON.stringify(without)).changes;
  }

  /** Removes up to 5,000 items older than `at`; returns how many went. */
  removeOlder(siteId: number, at: number): number {
    return this.#removeOlder.run(siteId, at).changes;
  }

  /** Items per site. */
  counts(): { siteId: number; count: number }[] {
    return this.#counts.all().map((row) => ({ siteId: row.site_id, count: row.count }));
  }

  /** Removes the `count` oldest items of a site; returns how many went. */
  trim(siteId: number, count: number): number {
    return this.#trim.run(siteId, count).changes;
  }
}
