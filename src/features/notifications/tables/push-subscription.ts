import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

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
  /** By what name the person knows the browser. */
  readonly label: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

const COLUMNS = `id, session_id AS sessionId, account_id AS accountId, endpoint, p256dh, auth, label, created_at AS createdAt`;

/** All SQL of `push_subscription`. Writing methods belong inside a write job. */
export class PushSubscriptionTable extends tableOf(prepare) {
  /** Browsers of a person, oldest first. */
  ofAccount(accountId: number): PushSubscriptionRow[] {
    return this.sql.ofAccount.all(accountId);
  }

  find(id: number): PushSubscriptionRow | null {
    return this.sql.find.get(id) ?? null;
  }

  /** Stores a browser, replacing one with the same endpoint. Returns its id. */
  put(row: Omit<PushSubscriptionRow, "id">): number {
    this.sql.removeEndpoint.run(row.endpoint);
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  remove(id: number): void {
    this.sql.remove.run(id);
  }

  /** Removes everybody's browsers in a household: the hub's key for them has changed. */
  removeHousehold(householdId: number): void {
    this.sql.removeHousehold.run({ household: householdId });
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    ofAccount: raw.prepare<[number], PushSubscriptionRow>(
      `SELECT ${COLUMNS} FROM push_subscription WHERE account_id = ? ORDER BY id`,
    ),
    find: raw.prepare<[number], PushSubscriptionRow>(`SELECT ${COLUMNS} FROM push_subscription WHERE id = ?`),
    insert: raw.prepare<[Omit<PushSubscriptionRow, "id">]>(
      `INSERT INTO push_subscription (session_id, account_id, endpoint, p256dh, auth, label, created_at)
       VALUES (@sessionId, @accountId, @endpoint, @p256dh, @auth, @label, @createdAt)`,
    ),
    removeEndpoint: raw.prepare<[string]>("DELETE FROM push_subscription WHERE endpoint = ?"),
    remove: raw.prepare<[number]>("DELETE FROM push_subscription WHERE id = ?"),
    removeHousehold: raw.prepare<[{ household: number }]>(
      "DELETE FROM push_subscription WHERE account_id IN (SELECT id FROM account WHERE id = @household OR household_of = @household)",
    ),
  };
}
