import { Table } from "../../../core/storage/table.ts";

/** A row of `notification_channel`: a household's channel for notifications, as its owners set it up. */
export interface NotificationChannelRow {
  readonly accountId: number;
  readonly channel: "push" | "ntfy" | "email";
  readonly enabled: number;
  /** JSON, by channel. */
  readonly settings: string;
  /** Sealed; null = none. */
  readonly secret: Buffer | null;
}

const COLUMNS = `account_id AS accountId, channel, enabled, settings, secret`;

/** All SQL of `notification_channel`. Writing methods belong inside a write job. */
export class NotificationChannelTable extends Table {
  readonly #find = this.sql.statement<[number, NotificationChannelRow["channel"]], NotificationChannelRow>(
    `SELECT ${COLUMNS} FROM notification_channel WHERE account_id = ? AND channel = ?`,
  );

  /** The channels of all households. */
  readonly all = this.sql.all<[], NotificationChannelRow>(`SELECT ${COLUMNS} FROM notification_channel`);

  /** A channel of a household. */
  find(accountId: number, channel: NotificationChannelRow["channel"]): NotificationChannelRow | undefined {
    return this.#find.get(accountId, channel);
  }

  /** Writes a channel, new or not. */
  readonly put = this.sql.run<
    [row: NotificationChannelRow]
  >(`INSERT INTO notification_channel (account_id, channel, enabled, settings, secret) VALUES (@accountId, @channel, @enabled, @settings, @secret)
       ON CONFLICT (account_id, channel) DO UPDATE SET enabled = @enabled, settings = @settings, secret = @secret`);
}
