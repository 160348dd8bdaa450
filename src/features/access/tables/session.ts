import { nextId, Table } from "../../../core/storage/table.ts";

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
export class SessionTable extends Table {
  readonly #byHash = this.sql.statement<[string], SessionRow>(`SELECT ${COLUMNS} FROM session WHERE token_hash = ?`);
  readonly #find = this.sql.statement<[number], SessionRow>(`SELECT ${COLUMNS} FROM session WHERE id = ?`);
  readonly #nextId = this.sql.statement<[], { id: number }>(nextId("session"));
  readonly #insert = this.sql.statement<
    [SessionRow]
  >(`INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at, address, user_agent)
       VALUES (@id, @accountId, @tokenHash, @createdAt, @lastUsedAt, @expiresAt, @address, @userAgent)`);
  readonly #used = this.sql.statement<[number, number]>("UPDATE session SET last_used_at = ? WHERE id = ?");

  /** The session with this token hash, alive or not. */
  byHash(tokenHash: string): SessionRow | undefined {
    return this.#byHash.get(tokenHash);
  }

  /** The session with this id, alive or not. */
  find(id: number): SessionRow | undefined {
    return this.#find.get(id);
  }

  /** Sessions of an account, most recently used first. */
  readonly ofAccount = this.sql.all<[accountId: number], SessionRow>(
    `SELECT ${COLUMNS} FROM session WHERE account_id = ? ORDER BY last_used_at DESC, id DESC`,
  );

  /** Stores a new session and returns its id, which no session had before: actors reference it. */
  insert(row: Omit<SessionRow, "id">): number {
    const id = this.#nextId.get()?.id ?? 1;
    this.#insert.run({ id, ...row });
    return id;
  }

  /** Notes the last use. */
  used(id: number, at: number): void {
    this.#used.run(at, id);
  }

  /** Removes one session of an account; false when there was none. */
  readonly remove = this.sql.changed<[accountId: number, id: number]>(
    "DELETE FROM session WHERE account_id = ? AND id = ?",
  );

  /** Removes all sessions of an account but one (0: all); returns how many. */
  readonly removeOthers = this.sql.changes<[accountId: number, keepId: number]>(
    "DELETE FROM session WHERE account_id = ? AND id <> ?",
  );

  /** Removes sessions that ended by `now` or were last used before `idleBefore`; returns how many. */
  readonly purge = this.sql.changes<[now: number, idleBefore: number]>(
    "DELETE FROM session WHERE expires_at <= ? OR last_used_at < ?",
  );
}
