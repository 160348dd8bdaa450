import { Table } from "../../../core/storage/table.ts";

/** A row of `notification_person`: one person's choices. */
export interface NotificationPersonRow {
  readonly accountId: number;
  readonly language: "en" | "hi";
  /** JSON. */
  readonly topics: string;
  /** JSON; null = no quiet hours. */
  readonly quiet: string | null;
  readonly email: number;
  readonly ntfyTopic: string | null;
  /** Until when only urgent messages are sent, epoch milliseconds; 0 = no mute. */
  readonly mutedUntil: number;
  /** The newest feed item that was seen in the console. */
  readonly seenId: number;
  /** Its time, epoch milliseconds. */
  readonly seenAt: number;
}

const COLUMNS = `account_id AS accountId, language, topics, quiet, email, ntfy_topic AS ntfyTopic, seen_id AS seenId,
  seen_at AS seenAt, muted_until AS mutedUntil`;

/** All SQL of `notification_person`. Writing methods belong inside a write job. */
export class NotificationPersonTable extends Table {
  readonly find = this.sql.first<[accountId: number], NotificationPersonRow>(
    `SELECT ${COLUMNS} FROM notification_person WHERE account_id = ?`,
  );

  /** Writes a person's row, new or not. */
  readonly put = this.sql.run<
    [row: NotificationPersonRow]
  >(`INSERT INTO notification_person (account_id, language, topics, quiet, email, ntfy_topic, seen_id, seen_at, muted_until)
       VALUES (@accountId, @language, @topics, @quiet, @email, @ntfyTopic, @seenId, @seenAt, @mutedUntil)
       ON CONFLICT (account_id) DO UPDATE SET language = @language, topics = @topics, quiet = @quiet, email = @email,
         ntfy_topic = @ntfyTopic, seen_id = @seenId, seen_at = @seenAt, muted_until = @mutedUntil`);
}
