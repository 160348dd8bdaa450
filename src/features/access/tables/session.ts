import type SqliteDatabase from "better-sqlite3";
import { nextId, tableOf } from "../../../core/storage/table.ts";

/** A row of `session`. Times are epoch milliseconds. */
export interface SessionRow {
  readonly id: number;
  readonly accountId: number;
  readonly tokenHash: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** The absolute end; an idle session ends earlier. */
  readonly expiresAt: number;
  readonly address: string;
  readonly userAgent: string;
}

const COLUMNS = `id, account_id AS accountId, token_hash AS tokenHash, created_at AS createdAt, last_used_at AS lastUsedAt,
  expires_at AS expiresAt, address, user_agent AS userAgent`;

/** All SQL of the table `session`. Writing methods belong inside a write job. */
export class SessionTable extends tableOf(prepare) {
  /** The session with this token hash, alive or not. */
  byHash(tokenHash: string): SessionRow | undefined {
    return this.sql.byHash.get(tokenHash);
  }

  /** The session with this id, alive or not. */
  find(id: number): SessionRow | undefined {
    return this.sql.find.get(id);
  }

  /** Sessions of an account, most recently used first. */
  ofAccount(accountId: number): SessionRow[] {
    return this.sql.ofAccount.all(accountId);
  }

  /** Stores a new session and answers its id, which no session had before: actors are named by it. */
  insert(row: Omit<SessionRow, "id">): number {
    const id = this.sql.nextId.get()?.id ?? 1;
    this.sql.insert.run({ id, ...row });
    return id;
  }

  /** Notes the last use. */
  used(id: number, at: number): void {
    this.sql.used.run(at, id);
  }

  /** Removes one session of an account; false when there was none. */
  remove(accountId: number, id: number): boolean {
    return this.sql.remove.run(accountId, id).changes > 0;
  }

  /** Removes all sessions of an account but one (0: all); answers how many. */
  removeOthers(accountId: number, keepId: number): number {
    return this.sql.removeOthers.run(accountId, keepId).changes;
  }

  /** Removes sessions that ended by `now` or were last used before `idleBefore`; answers how many. */
  purge(now: number, idleBefore: number): number {
    return this.sql.purge.run(now, idleBefore).changes;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    byHash: raw.prepare<[string], SessionRow>(`SELECT ${COLUMNS} FROM session WHERE token_hash = ?`),
    find: raw.prepare<[number], SessionRow>(`SELECT ${COLUMNS} FROM session WHERE id = ?`),
    nextId: nextId(raw, "session"),
    ofAccount: raw.prepare<[number], SessionRow>(
      `SELECT ${COLUMNS} FROM session WHERE account_id = ? ORDER BY last_used_at DESC, id DESC`,
    ),
    insert: raw.prepare<[SessionRow]>(
      `INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at, address, user_agent)
       VALUES (@id, @accountId, @tokenHash, @createdAt, @lastUsedAt, @expiresAt, @address, @userAgent)`,
    ),
    used: raw.prepare<[number, number]>("UPDATE session SET last_used_at = ? WHERE id = ?"),
    remove: raw.prepare<[number, number]>("DELETE FROM session WHERE account_id = ? AND id = ?"),
    removeOthers: raw.prepare<[number, number]>("DELETE FROM session WHERE account_id = ? AND id <> ?"),
    purge: raw.prepare<[number, number]>("DELETE FROM session WHERE expires_at <= ? OR last_used_at < ?"),
  };
}
