import { nextId, Table } from "../../../core/storage/table.ts";

/** A row of `api_key`. The key itself is stored nowhere: only its SHA-256. Times are epoch milliseconds. */
export interface ApiKeyRow {
  readonly id: number;
  readonly accountId: number;
  readonly siteId: number;
  readonly name: string;
  readonly env: "live" | "test";
  readonly keyHash: string;
  readonly prefix: string;
  readonly lastFour: string;
  /** JSON array of scope names. */
  readonly scopes: string;
  /** JSON array of exact origins. */
  readonly origins: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly rotatedTo: number | null;
}

/** The members of a new row. */
export type NewApiKeyRow = Omit<ApiKeyRow, "id" | "lastUsedAt" | "revokedAt" | "rotatedTo">;

const COLUMNS = `id, account_id AS accountId, site_id AS siteId, name, env, key_hash AS keyHash, prefix, last_four AS lastFour,
  scopes, origins, created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt,
  revoked_at AS revokedAt, rotated_to AS rotatedTo`;

/** All SQL of the table `api_key`. Writing methods belong inside a write job. */
export class ApiKeyTable extends Table {
  readonly #find = this.sql.statement<[number], ApiKeyRow>(`SELECT ${COLUMNS} FROM api_key WHERE id = ?`);
  readonly #nextId = this.sql.statement<[], { id: number }>(nextId("api_key"));
  readonly #insert = this.sql.statement<
    [NewApiKeyRow & { readonly id: number }]
  >(`INSERT INTO api_key (id, account_id, site_id, name, env, key_hash, prefix, last_four, scopes, origins, created_at, expires_at)
       VALUES (@id, @accountId, @siteId, @name, @env, @keyHash, @prefix, @lastFour, @scopes, @origins, @createdAt, @expiresAt)`);
  readonly #edit = this.sql.statement<[string, string, string, number]>(
    "UPDATE api_key SET name = ?, scopes = ?, origins = ? WHERE id = ?",
  );
  readonly #revoke = this.sql.statement<[number, number]>(
    "UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
  );
  readonly #rotate = this.sql.statement<[number, number, number]>(
    "UPDATE api_key SET rotated_to = ?, expires_at = ? WHERE id = ?",
  );
  readonly #used = this.sql.statement<[number, number]>("UPDATE api_key SET last_used_at = ? WHERE id = ?");
  readonly #purge = this.sql.statement<
    [number, number]
  >(`DELETE FROM api_key WHERE (revoked_at < ? OR expires_at < ?) AND rotated_to IS NULL
       AND NOT EXISTS (SELECT 1 FROM automation WHERE author_key = api_key.id)`);

  /** Every key of the hub, including dead ones, oldest first. */
  readonly all = this.sql.all<[], ApiKeyRow>(`SELECT ${COLUMNS} FROM api_key ORDER BY id`);

  /** One key; undefined when there is none. */
  find(id: number): ApiKeyRow | undefined {
    return this.#find.get(id);
  }

  /** Keys of an account that are neither revoked nor expired at `at`. */
  readonly countActive = this.sql.value<[accountId: number, at: number], number>(
    "SELECT count(*) AS n FROM api_key WHERE account_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
    0,
  );

  /** Stores a new key and returns its id, which no key had before: actors and kept responses reference it. */
  insert(row: NewApiKeyRow): number {
    const id = this.#nextId.get()?.id ?? 1;
    this.#insert.run({ ...row, id });
    return id;
  }

  /** Changes what an owner may change. */
  edit(id: number, name: string, scopes: string, origins: string): void {
    this.#edit.run(name, scopes, origins, id);
  }

  /** Ends the key at `at`. */
  revoke(id: number, at: number): void {
    this.#revoke.run(at, id);
  }

  /** Replaces the key by `successor`; it expires at `expiresAt`. */
  rotate(id: number, successor: number, expiresAt: number): void {
    this.#rotate.run(successor, expiresAt, id);
  }

  /** Notes the last use. */
  used(id: number, at: number): void {
    this.#used.run(at, id);
  }

  /** Forgets keys that ended before `before`, unless a rule belongs to them or a successor exists; returns how many. */
  purge(before: number): number {
    return this.#purge.run(before, before).changes;
  }
}
