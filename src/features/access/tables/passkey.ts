import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `passkey`. Times are epoch milliseconds. */
export interface PasskeyRow {
  readonly id: number;
  readonly accountId: number;
  /** Base64url. */
  readonly credentialId: string;
  /** COSE key. */
  readonly publicKey: Buffer;
  /** Count of signatures at the last use; 0 where the authenticator does not count. */
  readonly counter: number;
  /** Host name of the page on which it was created. */
  readonly rpId: string;
  /** JSON array. */
  readonly transports: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

const COLUMNS = `id, account_id AS accountId, credential_id AS credentialId, public_key AS publicKey, counter, rp_id AS rpId, transports, name,
  created_at AS createdAt, last_used_at AS lastUsedAt`;

/** All SQL of the table `passkey`. Writing methods belong inside a write job. */
export class PasskeyTable extends tableOf(prepare) {
  /** Passkeys of an account, oldest first. */
  ofAccount(accountId: number): PasskeyRow[] {
    return this.sql.ofAccount.all(accountId);
  }

  /** The passkey with this credential id. */
  byCredential(credentialId: string): PasskeyRow | undefined {
    return this.sql.byCredential.get(credentialId);
  }

  /** Whether anybody has a passkey for this host name. */
  anyFor(rpId: string): boolean {
    return this.sql.anyFor.get(rpId) !== undefined;
  }

  /** Stores a new passkey and answers its id. */
  insert(row: Omit<PasskeyRow, "id" | "lastUsedAt">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  /** Notes a use; false when it is gone, or its counter did not increase (both 0: it does not count). */
  use(id: number, counter: number, at: number): boolean {
    return this.sql.use.run({ id, counter, at }).changes > 0;
  }

  /** Renames it; false when the account has no such passkey. */
  rename(accountId: number, id: number, name: string): boolean {
    return this.sql.rename.run(name, accountId, id).changes > 0;
  }

  /** Removes one; false when the account has no such passkey. */
  remove(accountId: number, id: number): boolean {
    return this.sql.remove.run(accountId, id).changes > 0;
  }

  /** Removes all of an account; answers how many. */
  removeAll(accountId: number): number {
    return this.sql.removeAll.run(accountId).changes;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    ofAccount: raw.prepare<[number], PasskeyRow>(`SELECT ${COLUMNS} FROM passkey WHERE account_id = ? ORDER BY id`),
    byCredential: raw.prepare<[string], PasskeyRow>(`SELECT ${COLUMNS} FROM passkey WHERE credential_id = ?`),
    anyFor: raw.prepare<[string], { id: number }>("SELECT id FROM passkey WHERE rp_id = ? LIMIT 1"),
    insert: raw.prepare<[Omit<PasskeyRow, "id" | "lastUsedAt">]>(
      `INSERT INTO passkey (account_id, credential_id, public_key, counter, rp_id, transports, name, created_at)
       VALUES (@accountId, @credentialId, @publicKey, @counter, @rpId, @transports, @name, @createdAt)`,
    ),
    use: raw.prepare<[{ id: number; counter: number; at: number }]>(
      "UPDATE passkey SET counter = @counter, last_used_at = @at WHERE id = @id AND (counter < @counter OR (counter = 0 AND @counter = 0))",
    ),
    rename: raw.prepare<[string, number, number]>("UPDATE passkey SET name = ? WHERE account_id = ? AND id = ?"),
    remove: raw.prepare<[number, number]>("DELETE FROM passkey WHERE account_id = ? AND id = ?"),
    removeAll: raw.prepare<[number]>("DELETE FROM passkey WHERE account_id = ?"),
  };
}
