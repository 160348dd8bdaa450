import type SqliteDatabase from "better-sqlite3";
import type { Database } from "../database.js";

/** A row of `guest_pass`. Times are epoch milliseconds. */
export interface GuestPassRow {
  readonly id: number;
  readonly site_id: number;
  /** Lets the plate in; null until the plate is known. */
  readonly rule_id: number | null;
  /** SHA-256 of what stands in the link. */
  readonly token_hash: string;
  readonly label: string;
  /** A camera; null: every camera of the site. */
  readonly device_id: string | null;
  readonly valid_from: number | null;
  readonly valid_to: number;
  /** JSON array of windows; null: at all times. */
  readonly windows: string | null;
  /** How often the guest may still tell a plate. */
  readonly tries_left: number;
  readonly created_at: number;
  readonly created_by: string;
  /** When the link was first opened; null while it was not. */
  readonly opened_at: number | null;
}

/** All SQL of the table `guest_pass`. Writing methods belong inside a write job. */
export class GuestPassTable {
  readonly #database: Database;
  #statements: ReturnType<typeof prepare> | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Passes of a household, the newest first. */
  list(siteId: number): GuestPassRow[] {
    return this.#sql.list.all(siteId);
  }

  find(siteId: number, id: number): GuestPassRow | null {
    return this.#sql.find.get(siteId, id) ?? null;
  }

  /** The pass of a link. */
  byToken(tokenHash: string): GuestPassRow | null {
    return this.#sql.byToken.get(tokenHash) ?? null;
  }

  count(siteId: number): number {
    return this.#sql.count.get(siteId)?.count ?? 0;
  }

  /** Stores a new pass and answers its id. */
  insert(row: Omit<GuestPassRow, "id">): number {
    return Number(this.#sql.insert.run(row).lastInsertRowid);
  }

  /** Writes what may change. */
  update(row: GuestPassRow): void {
    this.#sql.update.run(row);
  }

  remove(id: number): void {
    this.#sql.remove.run(id);
  }

  /** Passes that ended before `before`, at most 500. */
  endedBefore(before: number): GuestPassRow[] {
    return this.#sql.ended.all(before);
  }

  get #sql(): ReturnType<typeof prepare> {
    this.#statements ??= prepare(this.#database.raw);
    return this.#statements;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    list: raw.prepare<[number], GuestPassRow>("SELECT * FROM guest_pass WHERE site_id = ? ORDER BY id DESC"),
    find: raw.prepare<[number, number], GuestPassRow>("SELECT * FROM guest_pass WHERE site_id = ? AND id = ?"),
    byToken: raw.prepare<[string], GuestPassRow>("SELECT * FROM guest_pass WHERE token_hash = ?"),
    count: raw.prepare<[number], { count: number }>("SELECT count(*) AS count FROM guest_pass WHERE site_id = ?"),
    insert: raw.prepare<[Omit<GuestPassRow, "id">]>(
      `INSERT INTO guest_pass (site_id, rule_id, token_hash, label, device_id, valid_from, valid_to, windows, tries_left, created_at, created_by, opened_at)
       VALUES (@site_id, @rule_id, @token_hash, @label, @device_id, @valid_from, @valid_to, @windows, @tries_left, @created_at, @created_by, @opened_at)`,
    ),
    update: raw.prepare<[GuestPassRow]>(
      "UPDATE guest_pass SET rule_id = @rule_id, token_hash = @token_hash, tries_left = @tries_left, opened_at = @opened_at WHERE id = @id",
    ),
    remove: raw.prepare<[number]>("DELETE FROM guest_pass WHERE id = ?"),
    ended: raw.prepare<[number], GuestPassRow>("SELECT * FROM guest_pass WHERE valid_to < ? LIMIT 500"),
  };
}
