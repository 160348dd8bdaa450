import type { FeedSight } from "../../../core/api/feed-kinds.ts";
import { Table } from "../../../core/storage/table.ts";

/** A row of `feed_item`. */
export interface FeedItemRow {
  readonly id: number;
  readonly siteId: number;
  readonly deviceId: string | null;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  /** JSON; null = title and body are all there is. */
  readonly words: string | null;
  readonly read: number;
  /** 1: its words are about vehicles, regardless of kind. */
  readonly aboutVehicles: number;
  /** The accounts that it is for, with commas around each; null = everybody. */
  readonly recipients: string | null;
  /** JSON; null = none. */
  readonly picture: string | null;
  /** The account of the person whose act it is; null = none of the house. */
  readonly byAccount: number | null;
  /** The device that set off the rule whose message it is; null = none. */
  readonly becauseOf: string | null;
  readonly at: number;
}

/** An item's position in time and its source: a kind, and a device or the hub itself (null). */
export interface FeedPlace extends FeedPosition {
  readonly deviceId: string | null;
  readonly kind: string;
}

/** The start of a page of the feed: items older than this one, by (at, id). */
export interface FeedPosition {
  readonly at: number;
  readonly id: number;
}

/** The requested items: no older than `sinceMs`, before `before`, and within `sight`. */
export interface FeedPage {
  readonly sinceMs: number;
  readonly before: FeedPosition;
  readonly limit: number;
  readonly sight: FeedSight;
}

/** Takes site, kind, whether about vehicles, the oldest time, the position before which to begin, and how many. */
type PageArguments = [number, string, number, number, number, number, number];
/** Takes the same, with the account of the reader before the number. */
type PageForArguments = [number, string, number, number, number, number, number, number];
type Paged = "all" | "unread";

/**
 * Takes the kinds as a JSON list of texts, in which a kind is found with its quotes, and whether vehicles are shown.
 */
const IN_SIGHT = `instr(?, '"' || kind || '"') > 0 AND about_vehicles <= ?`;

/** Takes the account of a reader who is not shown what is for others. */
const FOR_READER = "AND (recipients IS NULL OR instr(recipients, ',' || CAST(? AS INTEGER) || ',') > 0)";

/** Takes, besides, an account, twice; null for a reader who is shown what is for anybody. */
const IN_SIGHT_OF = `${IN_SIGHT} AND (? IS NULL OR recipients IS NULL OR instr(recipients, ',' || CAST(? AS INTEGER) || ',') > 0)`;

/** Counting further would block everything else, and nobody reads that many. */
const MOST_COUNTED = 10_000;

const COLUMNS = `id, site_id AS siteId, device_id AS deviceId, kind, title, body, words, read, about_vehicles AS aboutVehicles,
  recipients, picture, by_account AS byAccount, because_of AS becauseOf, at`;

/** All SQL of `feed_item` and `feed_subject`. */
export class FeedItemTable extends Table {
  readonly #insert = this.sql.statement<
    [Omit<FeedItemRow, "id" | "read">]
  >(`INSERT INTO feed_item (site_id, device_id, kind, title, body, words, about_vehicles, recipients, picture, by_account, because_of, at)
       VALUES (@siteId, @deviceId, @kind, @title, @body, @words, @aboutVehicles, @recipients, @picture, @byAccount, @becauseOf, @at)`);
  readonly #row = this.sql.statement<[number], FeedItemRow>(`SELECT ${COLUMNS} FROM feed_item WHERE id = ?`);
  /** An owner's pages are read from the index alone. */
  readonly #ofKind = {
    all: this.sql.statement<PageArguments, FeedPosition>(pageOfKind("")),
    unread: this.sql.statement<PageArguments, FeedPosition>(pageOfKind("AND read = 0")),
  };
  readonly #ofKindFor = {
    all: this.sql.statement<PageForArguments, FeedPosition>(pageOfKind(FOR_READER)),
    unread: this.sql.statement<PageForArguments, FeedPosition>(pageOfKind(`AND read = 0 ${FOR_READER}`)),
  };
  readonly #ofPerson = this.sql.statement<[number, number, number, number, number, ...Shown, number], FeedPosition>(
    `SELECT id, at FROM feed_item WHERE site_id = ? AND by_account = ? AND at >= ? AND (at, id) < (?, ?) AND ${IN_SIGHT_OF}
       ORDER BY at DESC, id DESC LIMIT ?`,
  );
  readonly #countUnread = this.sql.statement<
    [number, string, number],
    { count: number }
  >(`SELECT count(*) AS count FROM (SELECT kind, about_vehicles FROM feed_item WHERE site_id = ? AND read = 0 ORDER BY at DESC, id DESC LIMIT ${MOST_COUNTED})
       WHERE ${IN_SIGHT}`);
  readonly #countUnreadFor = this.sql.statement<
    [number, ...Shown],
    { count: number }
  >(`SELECT count(*) AS count FROM (SELECT kind, about_vehicles, recipients FROM feed_item WHERE site_id = ? AND read = 0 ORDER BY at DESC, id DESC LIMIT ${MOST_COUNTED})
       WHERE ${IN_SIGHT_OF}`);
  readonly #markRead = this.sql.statement<[number, number, number, ...Shown]>(
    `UPDATE feed_item SET read = ? WHERE id = ? AND site_id = ? AND ${IN_SIGHT_OF}`,
  );
  readonly #markReadUpTo = this.sql.statement<[number, number, ...Shown]>(
    `UPDATE feed_item SET read = 1 WHERE site_id = ? AND read = 0 AND id <= ? AND ${IN_SIGHT_OF}`,
  );
  readonly #nextSite = this.sql.statement<[number], { siteId: number | null }>(
    "SELECT min(site_id) AS siteId FROM feed_item WHERE site_id > ?",
  );
  readonly #skip = this.sql.statement<[number, number, number, number, number], FeedPosition>(
    "SELECT at, id FROM feed_item WHERE site_id = ? AND (at, id) > (?, ?) AND at < ? ORDER BY at, id LIMIT 1 OFFSET ?",
  );
  readonly #countBetween = this.sql.statement<[number, number, number, number], { count: number }>(
    "SELECT count(*) AS count FROM feed_item WHERE site_id = ? AND (at, id) > (?, ?) AND at < ?",
  );
  readonly #insertSubject = this.sql.statement<[number, string, number | bigint]>(
    "INSERT OR IGNORE INTO feed_subject (site_id, subject, item_id) VALUES (?, ?, ?)",
  );
  readonly #places = this.sql.statement<[number, number, number, number], FeedPlace>(
    "SELECT at, id, device_id AS deviceId, kind FROM feed_item WHERE site_id = ? AND (at, id) > (?, ?) ORDER BY at, id LIMIT ?",
  );
  readonly #remove = this.sql.statement<[number]>("DELETE FROM feed_item WHERE id = ?");

  /** Removes items that are about `subject`; returns how many. */
  readonly removeAbout = this.sql.changes<[siteId: number, subject: string]>(
    "DELETE FROM feed_item WHERE id IN (SELECT item_id FROM feed_subject WHERE site_id = ? AND subject = ?)",
  );

  /** Returns the new item's id. @param subjects the vehicles that it is about */
  insert(row: Omit<FeedItemRow, "id" | "read">, subjects: readonly string[] = []): number {
    const id = Number(this.#insert.run(row).lastInsertRowid);
    for (const subject of subjects) this.#insertSubject.run(row.siteId, subject, id);
    return id;
  }

  /** Items of the page, newest first. Looks at no more than `limit` items of each kind in sight. */
  page(siteId: number, page: FeedPage): FeedItemRow[] {
    return this.#newest("all", siteId, page);
  }

  /** Like {@link page}, unread items only. */
  unread(siteId: number, page: FeedPage): FeedItemRow[] {
    return this.#newest("unread", siteId, page);
  }

  /** Like {@link page}, only what the person of an account did. */
  ofPerson(siteId: number, account: number, { sinceMs, before, limit, sight }: FeedPage): FeedItemRow[] {
    return this.#ofPerson
      .all(siteId, account, sinceMs, before.at, before.id, ...shown(sight), limit)
      .flatMap(({ id }) => this.#row.get(id) ?? []);
  }

  #newest(which: Paged, siteId: number, { sinceMs, before, limit, sight }: FeedPage): FeedItemRow[] {
    let found: FeedPosition[] = [];
    for (const kind of sight.kinds) {
      for (const aboutVehicles of sight.vehicles ? [0, 1] : [0]) {
        // older ones are on no page of this length
        const since = found.length < limit ? sinceMs : Math.max(sinceMs, found.at(-1)?.at ?? sinceMs);
        const more =
          sight.recipient === undefined
            ? this.#ofKind[which].all(siteId, kind, aboutVehicles, since, before.at, before.id, limit)
            : this.#ofKindFor[which].all(
                siteId,
                kind,
                aboutVehicles,
                since,
                before.at,
                before.id,
                sight.recipient,
                limit,
              );
        if (more.length === 0) continue;
        found = [...found, ...more].sort((one, other) => other.at - one.at || other.id - one.id).slice(0, limit);
      }
    }
    return found.flatMap(({ id }) => this.#row.get(id) ?? []);
  }

  /** How many of the newest 10,000 unread items are in sight. */
  countUnread(siteId: number, sight: FeedSight): number {
    const { recipient } = sight;
    const [kinds, vehicles] = shown(sight);
    const counted =
      recipient === undefined
        ? this.#countUnread.get(siteId, kinds, vehicles)
        : this.#countUnreadFor.get(siteId, ...shown(sight));
    return counted?.count ?? 0;
  }

  /** Marks an item as read; returns whether the site has such an item in sight. */
  markRead(
    siteId: number,
    id: number,
    { read, sight }: { readonly read: boolean; readonly sight: FeedSight },
  ): boolean {
    return this.#markRead.run(read ? 1 : 0, id, siteId, ...shown(sight)).changes > 0;
  }

  /** Marks every item in sight up to and including `id`; returns how many changed. */
  markReadUpTo(siteId: number, id: number, sight: FeedSight): number {
    return this.#markReadUpTo.run(siteId, id, ...shown(sight)).changes;
  }

  /** Removes up to `most` items older than `at`, the oldest first; returns how many went. */
  readonly removeOlder = this.sql.changes<[siteId: number, at: number, most: number]>(
    "DELETE FROM feed_item WHERE id IN (SELECT id FROM feed_item WHERE site_id = ? AND at < ? ORDER BY at, id LIMIT ?)",
  );

  /** Sites that have items. */
  sites(): number[] {
    const sites: number[] = [];
    for (
      let site = this.#nextSite.get(-1)?.siteId ?? null;
      site !== null;
      site = this.#nextSite.get(site)?.siteId ?? null
    )
      sites.push(site);
    return sites;
  }

  /** The position `many` items after `from`, among those older than `at`; null when there are fewer. */
  skip(
    siteId: number,
    from: FeedPosition,
    { at, many }: { readonly at: number; readonly many: number },
  ): FeedPosition | null {
    return this.#skip.get(siteId, from.at, from.id, at, many - 1) ?? null;
  }

  /** How many items come after `from` and are older than `at`. */
  countBetween(siteId: number, from: FeedPosition, at: number): number {
    return this.#countBetween.get(siteId, from.at, from.id, at)?.count ?? 0;
  }

  /** The next `many` items after `from`, oldest first. */
  places(siteId: number, from: FeedPosition, many: number): FeedPlace[] {
    return this.#places.all(siteId, from.at, from.id, many);
  }

  /** Removes items; returns how many there were. */
  remove(ids: readonly number[]): number {
    return ids.reduce((sum, id) => sum + this.#remove.run(id).changes, 0);
  }
}

function pageOfKind(more: string): string {
  return `SELECT id, at FROM feed_item
       WHERE site_id = ? AND kind = ? AND about_vehicles = ? AND at >= ? AND (at, id) < (?, ?) ${more} ORDER BY at DESC, id DESC LIMIT ?`;
}

/** What {@link IN_SIGHT_OF} takes. */
type Shown = [kinds: string, vehicles: number, recipient: number | null, again: number | null];

function shown({
  kinds,
  vehicles,
  recipient = null,
}: Omit<FeedSight, "recipient"> & { recipient?: number | null | undefined }): Shown {
  return [JSON.stringify(kinds), vehicles ? 1 : 0, recipient, recipient];
}
