import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../table.js";

/** A row of `notification_channel`: one way out of a household, as its owners set it up. */
export interface NotificationChannelRow {
  readonly accountId: number;
  readonly channel: "push" | "ntfy" | "email";
  readonly enabled: number;
  /** JSON, by channel. */
  readonly settings: string;
  /** Sealed; null = none. */
  readonly secret: Buffer | null;
}

/** Columns of a row, by the names of its members. */
const COLUMNS = `account_id AS accountId, channel, enabled, settings, secret`;

/** All SQL of `notification_channel`. Writing methods belong inside a write job. */
export class NotificationChannelTable extends tableOf(prepare) {
  /** Those of all households. */
  all(): NotificationChannelRow[] {
    return this.sql.all.all();
  }

  /** Writes a channel, whether there was one or not. */
  put(row: NotificationChannelRow): void {
    this.sql.put.run(row);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], NotificationChannelRow>(`SELECT ${COLUMNS} FROM notification_channel`),
    put: raw.prepare<[NotificationChannelRow]>(
      `INSERT INTO notification_channel (account_id, channel, enabled, settings, secret) VALUES (@accountId, @channel, @enabled, @settings, @secret)
       ON CONFLICT (account_id, channel) DO UPDATE SET enabled = @enabled, settings = @settings, secret = @secret`,
    ),
  };
}
