import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `guest_pass`. Times are epoch milliseconds. */
export interface GuestPassRow {
  readonly id: number;
  readonly siteId: number;
  /** The rule that lets the plate in; null until the plate is known, and once somebody else has edited that rule. */
  readonly ruleId: number | null;
  /** SHA-256 of the token in the link. */
  readonly tokenHash: string;
  readonly label: string;
  /** A camera; null: every camera of the site. */
  readonly deviceId: string | null;
  readonly validFrom: number | null;
  readonly validTo: number;
  /** JSON array of windows; null: at all times. */
  readonly windows: string | null;
  /** How often the guest may still enter a plate. */
  readonly triesLeft: number;
  readonly createdAt: number;
  readonly createdBy: string;
  /** When the link was first opened; null if it was not. */
  readonly openedAt: number | null;
}

const COLUMNS = `id, site_id AS siteId, rule_id AS ruleId, token_hash AS tokenHash, label, device_id AS deviceId,
  valid_from AS validFrom, valid_to AS validTo, windows, tries_left AS triesLeft, created_at AS createdAt,
  created_by AS createdBy, opened_at AS openedAt`;

/** All SQL of the table `guest_pass`. Writing methods belong inside a write job. */
export class GuestPassTable extends tableOf(prepare) {
  /** Passes of a household, the newest first. */
  list(siteId: number): GuestPassRow[] {
    return this.sql.list.all(siteId);
  }

  find(siteId: number, id: number): GuestPassRow | null {
    return this.sql.find.get(siteId, id) ?? null;
  }

  /** The pass of a link. */
  byToken(tokenHash: string): GuestPassRow | null {
    return this.sql.byToken.get(tokenHash) ?? null;
  }

  count(siteId: number): number {
    return this.sql.count.get(siteId)?.count ?? 0;
  }

  /** Stores a new pass and answers its id. */
  insert(row: Omit<GuestPassRow, "id">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  /** Writes what may change. */
  update(row: GuestPassRow): void {
    this.sql.update.run(row);
  }

  /** The pass that owns a rule; null: none. */
  ofRule(ruleId: number): number | null {
    return this.sql.ofRule.get(ruleId)?.id ?? null;
  }

  /** Takes the rule from its pass for good: the link makes no other. */
  detach(ruleId: number): void {
    this.sql.detach.run(ruleId);
  }

  remove(id: number): void {
    this.sql.remove.run(id);
  }

  /** Passes that ended before `before`, at most 500. */
  endedBefore(before: number): GuestPassRow[] {
    return this.sql.ended.all(before);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    list: raw.prepare<[number], GuestPassRow>(`SELECT ${COLUMNS} FROM guest_pass WHERE site_id = ? ORDER BY id DESC`),
    find: raw.prepare<[number, number], GuestPassRow>(`SELECT ${COLUMNS} FROM guest_pass WHERE site_id = ? AND id = ?`),
    byToken: raw.prepare<[string], GuestPassRow>(`SELECT ${COLUMNS} FROM guest_pass WHERE token_hash = ?`),
    count: raw.prepare<[number], { count: number }>("SELECT count(*) AS count FROM guest_pass WHERE site_id = ?"),
    insert: raw.prepare<[Omit<GuestPassRow, "id">]>(
      `INSERT INTO guest_pass (site_id, rule_id, token_hash, label, device_id, valid_from, valid_to, windows, tries_left, created_at, created_by, opened_at)
       VALUES (@siteId, @ruleId, @tokenHash, @label, @deviceId, @validFrom, @validTo, @windows, @triesLeft, @createdAt, @createdBy, @openedAt)`,
    ),
    update: raw.prepare<[GuestPassRow]>(
      "UPDATE guest_pass SET rule_id = @ruleId, token_hash = @tokenHash, tries_left = @triesLeft, opened_at = @openedAt WHERE id = @id",
    ),
    ofRule: raw.prepare<[number], { id: number }>("SELECT id FROM guest_pass WHERE rule_id = ?"),
    detach: raw.prepare<[number]>("UPDATE guest_pass SET rule_id = NULL, tries_left = 0 WHERE rule_id = ?"),
    remove: raw.prepare<[number]>("DELETE FROM guest_pass WHERE id = ?"),
    ended: raw.prepare<[number], GuestPassRow>(`SELECT ${COLUMNS} FROM guest_pass WHERE valid_to < ? LIMIT 500`),
  };
}
