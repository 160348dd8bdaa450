import { Table } from "../../../core/storage/table.ts";

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
export class PasskeyTable extends Table {
  readonly #byCredential = this.sql.statement<[string], PasskeyRow>(
    `SELECT ${COLUMNS} FROM passkey WHERE credential_id = ?`,
  );
  readonly #use = this.sql.statement<[{ id: number; counter: number; at: number }]>(
    "UPDATE passkey SET counter = @counter, last_used_at = @at WHERE id = @id AND (counter < @counter OR (counter = 0 AND @counter = 0))",
  );
  readonly #rename = this.sql.statement<[string, number, number]>(
    "UPDATE passkey SET name = ? WHERE account_id = ? AND id = ?",
  );

  /** Passkeys of an account, oldest first. */
  readonly ofAccount = this.sql.all<[accountId: number], PasskeyRow>(
    `SELECT ${COLUMNS} FROM passkey WHERE account_id = ? ORDER BY id`,
  );

  /** The passkey with this credential id. */
  byCredential(credentialId: string): PasskeyRow | undefined {
    return this.#byCredential.get(credentialId);
  }

  /** Whether anybody has a passkey for this host name. */
  readonly anyFor = this.sql.any<[rpId: string]>("SELECT id FROM passkey WHERE rp_id = ? LIMIT 1");

  /** Stores a new passkey and returns its id. */
  readonly insert = this.sql.insert<
    [row: Omit<PasskeyRow, "id" | "lastUsedAt">]
  >(`INSERT INTO passkey (account_id, credential_id, public_key, counter, rp_id, transports, name, created_at)
       VALUES (@accountId, @credentialId, @publicKey, @counter, @rpId, @transports, @name, @createdAt)`);

  /** Notes a use; false when the passkey was removed, or its counter did not increase (both 0: it does not count). */
  use(id: number, counter: number, at: number): boolean {
    return this.#use.run({ id, counter, at }).changes > 0;
  }

  /** Renames it; false when the account has no such passkey. */
  rename(accountId: number, id: number, name: string): boolean {
    return this.#rename.run(name, accountId, id).changes > 0;
  }

  /** Removes one; false when the account has no such passkey. */
  readonly remove = this.sql.changed<[accountId: number, id: number]>(
    "DELETE FROM passkey WHERE account_id = ? AND id = ?",
  );

  /** Removes all of an account; returns how many. */
  readonly removeAll = this.sql.changes<[accountId: number]>("DELETE FROM passkey WHERE account_id = ?");
}
