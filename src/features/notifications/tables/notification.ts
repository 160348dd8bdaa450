import { Table } from "../../../core/storage/table.ts";

/** A row of `notification`: a message that still has to be sent, about one item of the feed. */
export interface NotificationRow {
  readonly id: number;
  readonly accountId: number;
  readonly channel: "push" | "ntfy" | "email";
  /** Row id of the browser's subscription; null for the other channels. */
  readonly targetId: number | null;
  readonly itemId: number;
  readonly urgent: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The person a message waits for, and the channel. */
export type NotificationReceiver = Pick<NotificationRow, "accountId" | "channel" | "targetId">;

/** A waiting message with its content. */
export interface WaitingNotification extends NotificationRow {
  readonly siteId: number;
  readonly deviceId: string | null;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  /** JSON; null = title and body are all there is. */
  readonly words: string | null;
  readonly aboutVehicles: number;
  /** JSON; null = none of its own. */
  readonly picture: string | null;
  /** When it happened. */
  readonly at: number;
}

/** All SQL of `notification`. Writing methods belong inside a write job. */
export class NotificationTable extends Table {
  readonly #count = this.sql.statement<
    [number, string, number | null, string],
    { count: number }
  >(`SELECT count(*) AS count FROM notification AS waiting JOIN feed_item AS item ON item.id = waiting.item_id
       WHERE waiting.account_id = ? AND waiting.channel = ? AND waiting.target_id IS ? AND item.kind = ?`);
  readonly #waiting = this.sql.statement<
    [number, string, number | null],
    WaitingNotification
  >(`SELECT waiting.id, waiting.account_id AS accountId, waiting.channel, waiting.target_id AS targetId, waiting.item_id AS itemId, waiting.urgent,
         waiting.expires_at AS expiresAt, item.site_id AS siteId, item.device_id AS deviceId, item.kind, item.title, item.body, item.words,
         item.about_vehicles AS aboutVehicles, item.picture, item.at
       FROM notification AS waiting JOIN feed_item AS item ON item.id = waiting.item_id
       WHERE waiting.account_id = ? AND waiting.channel = ? AND waiting.target_id IS ? ORDER BY waiting.id`);
  readonly #remove = this.sql.statement<[number]>("DELETE FROM notification WHERE id = ?");

  readonly insert = this.sql.run<
    [row: Omit<NotificationRow, "id">]
  >(`INSERT INTO notification (account_id, channel, target_id, item_id, urgent, expires_at)
       VALUES (@accountId, @channel, @targetId, @itemId, @urgent, @expiresAt)`);

  /** How many items of a kind wait for one receiver. */
  count({ accountId, channel, targetId }: NotificationReceiver, kind: string): number {
    return this.#count.get(accountId, channel, targetId, kind)?.count ?? 0;
  }

  /** All receivers with pending messages. */
  readonly receivers = this.sql.all<[], NotificationReceiver>(
    "SELECT DISTINCT account_id AS accountId, channel, target_id AS targetId FROM notification",
  );

  /** The messages pending for one receiver, oldest first. */
  waiting({ accountId, channel, targetId }: NotificationReceiver): WaitingNotification[] {
    return this.#waiting.all(accountId, channel, targetId);
  }

  remove(ids: Iterable<number>): void {
    for (const id of ids) this.#remove.run(id);
  }

  /** Forgets what waits for a person on one channel. */
  readonly removeChannel = this.sql.run<[accountId: number, channel: string]>(
    "DELETE FROM notification WHERE account_id = ? AND channel = ?",
  );
}
