import type { Role } from "../../../core/api/roles.ts";
import { Table } from "../../../core/storage/table.ts";

/** A row of `invitation`. Times are epoch milliseconds. */
export interface InvitationRow {
  readonly id: number;
  /** The account whose household it is. */
  readonly accountId: number;
  readonly name: string;
  readonly role: Role;
  /** The end of the access that it gives; null: none. */
  readonly endsAt: number | null;
  /** The limits of the access that it gives, as of an account; null: none. */
  readonly limits: string | null;
  readonly codeHash: string;
  /** Of the issuer's credentials: a new password of theirs ends it; null: the household's. */
  readonly generation: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const COLUMNS = `id, account_id AS accountId, name, role, ends_at AS endsAt, limits, code_hash AS codeHash, generation, created_at AS createdAt, expires_at AS expiresAt`;

/** All SQL of the table `invitation`. Writing methods belong inside a write job. */
export class InvitationTable extends Table {
  readonly #byHash = this.sql.statement<[string, number], InvitationRow>(
    `SELECT ${COLUMNS} FROM invitation WHERE code_hash = ? AND expires_at > ?`,
  );

  /** Invitations of a household that are good at `at`, newest first. */
  readonly ofHousehold = this.sql.all<[accountId: number, at: number], InvitationRow>(
    `SELECT ${COLUMNS} FROM invitation WHERE account_id = ? AND expires_at > ? ORDER BY id DESC`,
  );

  /** The invitation with this code hash that is good at `at`. */
  byHash(codeHash: string, at: number): InvitationRow | undefined {
    return this.#byHash.get(codeHash, at);
  }

  /** Stores a new invitation and returns its id. */
  readonly insert = this.sql.insert<
    [row: Omit<InvitationRow, "id">]
  >(`INSERT INTO invitation (account_id, name, role, ends_at, limits, code_hash, generation, created_at, expires_at)
       VALUES (@accountId, @name, @role, @endsAt, @limits, @codeHash, @generation, @createdAt, @expiresAt)`);

  /** Removes one; false when there was none. */
  readonly remove = this.sql.changed<[accountId: number, id: number]>(
    "DELETE FROM invitation WHERE account_id = ? AND id = ?",
  );

  /** Removes one of any household. */
  readonly end = this.sql.run<[id: number]>("DELETE FROM invitation WHERE id = ?");

  /** Forgets what ended by `at`. */
  readonly purge = this.sql.run<[at: number]>("DELETE FROM invitation WHERE expires_at <= ?");
}
