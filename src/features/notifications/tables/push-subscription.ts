import { Table } from "../../../core/storage/table.ts";

/** A row of `push_subscription`: a browser that receives Web Push. */
export interface PushSubscriptionRow {
  readonly id: number;
  /** The session with which it ends. */
  readonly sessionId: number;
  readonly accountId: number;
  /** Where its push service accepts messages. */
  readonly endpoint: string;
  /** The browser's public key, base64url. */
  readonly p256dh: string;
  /** The browser's shared secret, base64url. */
  readonly auth: string;
  /** The browser's name, as the person knows it. */
  readonly label: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

const COLUMNS = `id, session_id AS sessionId, account_id AS accountId, endpoint, p256dh, auth, label, created_at AS createdAt`;

/** All SQL of `push_subscription`. Writing methods belong inside a write job. */
export class PushSubscriptionTable extends Table {
  readonly #insert = this.sql.statement<
    [Omit<PushSubscriptionRow, "id">]
  >(`INSERT INTO push_subscription (session_id, account_id, endpoint, p256dh, auth, label, created_at)
       VALUES (@sessionId, @accountId, @endpoint, @p256dh, @auth, @label, @createdAt)`);
  readonly #removeEndpoint = this.sql.statement<[string]>("DELETE FROM push_subscription WHERE endpoint = ?");
  readonly #removeHousehold = this.sql.statement<[{ household: number }]>(
    "DELETE FROM push_subscription WHERE account_id IN (SELECT id FROM account WHERE id = @household OR household_of = @household)",
  );

  /** Browsers of a person, oldest first. */
  readonly ofAccount = this.sql.all<[accountId: number], PushSubscriptionRow>(
    `SELECT ${COLUMNS} FROM push_subscription WHERE account_id = ? ORDER BY id`,
  );

  readonly find = this.sql.first<[id: number], PushSubscriptionRow>(
    `SELECT ${COLUMNS} FROM push_subscription WHERE id = ?`,
  );

  /** Stores a browser, replacing one with the same endpoint. Returns its id. */
  put(row: Omit<PushSubscriptionRow, "id">): number {
    this.#removeEndpoint.run(row.endpoint);
    return Number(this.#insert.run(row).lastInsertRowid);
  }

  readonly remove = this.sql.run<[id: number]>("DELETE FROM push_subscription WHERE id = ?");

  /** Removes all persons' browsers in a household: the hub's key for them has changed. */
  removeHousehold(householdId: number): void {
    this.#removeHousehold.run({ household: householdId });
  }
}
