import type SqliteDatabase from "better-sqlite3";

/** A row of `notification_person`: what one person has chosen. */
export interface NotificationPersonRow {
  readonly account_id: number;
  readonly language: "en" | "hi";
  /** JSON. */
  readonly topics: string;
  /** JSON; null = no quiet hours. */
  readonly quiet: string | null;
  readonly email: number;
  readonly ntfy_topic: string | null;
  /** The newest item of the feed that was seen in the console. */
  readonly seen_id: number;
  /** Its time, epoch milliseconds. */
  readonly seen_at: number;
}

/** All SQL of `notification_person`. Writing methods belong inside a write job. */
export class NotificationPersonTable {
  readonly #find;
  readonly #put;

  constructor(raw: SqliteDatabase.Database) {
    this.#find = raw.prepare<[number], NotificationPersonRow>("SELECT * FROM notification_person WHERE account_id = ?");
    this.#put = raw.prepare<[NotificationPersonRow]>(
      `INSERT INTO notification_person (account_id, language, topics, quiet, email, ntfy_topic, seen_id, seen_at)
       VALUES (:account_id, :language, :topics, :quiet, :email, :ntfy_topic, :seen_id, :seen_at)
       ON CONFLICT (account_id) DO UPDATE SET language = :language, topics = :topics, quiet = :quiet, email = :email,
         ntfy_topic = :ntfy_topic, seen_id = :seen_id, seen_at = :seen_at`,
    );
  }

  find(accountId: number): NotificationPersonRow | null {
    return this.#find.get(accountId) ?? null;
  }

  /** Writes a person's row, whether there was one or not. */
  put(row: NotificationPersonRow): void {
    this.#put.run(row);
  }
}
