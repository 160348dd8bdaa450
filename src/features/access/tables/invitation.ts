import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `invitation`. Times are epoch milliseconds. */
export interface InvitationRow {
  readonly id: number;
  /** The account whose household it is. */
  readonly accountId: number;
  readonly name: string;
  readonly role: "owner" | "member";
  readonly codeHash: string;
  /** Of the issuer's credentials: a new password of theirs ends it; null: the household's. */
  readonly generation: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const COLUMNS = `id, account_id AS accountId, name, role, code_hash AS codeHash, generation, created_at AS createdAt, expires_at AS expiresAt`;

/** All SQL of the table `invitation`. Writing methods belong inside a write job. */
export class InvitationTable extends tableOf(prepare) {
  /** Invitations of a household that are good at `at`, newest first. */
  ofHousehold(accountId: number, at: number): InvitationRow[] {
    return this.sql.ofHousehold.all(accountId, at);
  }

  /** The invitation with this code hash that is good at `at`. */
  byHash(codeHash: string, at: number): InvitationRow | undefined {
    return this.sql.byHash.get(codeHash, at);
  }

  /** Stores a new invitation and answers its id. */
  insert(row: Omit<InvitationRow, "id">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  /** Removes one; false when there was none. */
  remove(accountId: number, id: number): boolean {
    return this.sql.remove.run(accountId, id).changes > 0;
  }

  /** Removes one of any household. */
  end(id: number): void {
    this.sql.end.run(id);
  }

  /** Forgets what ended by `at`. */
  purge(at: number): void {
    this.sql.purge.run(at);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    ofHousehold: raw.prepare<[number, number], InvitationRow>(
      `SELECT ${COLUMNS} FROM invitation WHERE account_id = ? AND expires_at > ? ORDER BY id DESC`,
    ),
    byHash: raw.prepare<[string, number], InvitationRow>(
      `SELECT ${COLUMNS} FROM invitation WHERE code_hash = ? AND expires_at > ?`,
    ),
    insert: raw.prepare<[Omit<InvitationRow, "id">]>(
      `INSERT INTO invitation (account_id, name, role, code_hash, generation, created_at, expires_at)
       VALUES (@accountId, @name, @role, @codeHash, @generation, @createdAt, @expiresAt)`,
    ),
    remove: raw.prepare<[number, number]>("DELETE FROM invitation WHERE account_id = ? AND id = ?"),
    end: raw.prepare<[number]>("DELETE FROM invitation WHERE id = ?"),
    purge: raw.prepare<[number]>("DELETE FROM invitation WHERE expires_at <= ?"),
  };
}
