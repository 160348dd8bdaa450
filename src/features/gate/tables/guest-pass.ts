import { Table } from "../../../core/storage/table.ts";

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
export class GuestPassTable extends Table {
  /** Passes of a household, the newest first. */
  readonly list = this.sql.all<[siteId: number], GuestPassRow>(
    `SELECT ${COLUMNS} FROM guest_pass WHERE site_id = ? ORDER BY id DESC`,
  );

  readonly find = this.sql.first<[siteId: number, id: number], GuestPassRow>(
    `SELECT ${COLUMNS} FROM guest_pass WHERE site_id = ? AND id = ?`,
  );

  /** The pass of a link. */
  readonly byToken = this.sql.first<[tokenHash: string], GuestPassRow>(
    `SELECT ${COLUMNS} FROM guest_pass WHERE token_hash = ?`,
  );

  readonly count = this.sql.value<[siteId: number], number>(
    "SELECT count(*) AS count FROM guest_pass WHERE site_id = ?",
    0,
  );

  /** Passes of a household that have not ended at `at`. */
  readonly going = this.sql.value<[siteId: number, at: number], number>(
    "SELECT count(*) AS count FROM guest_pass WHERE site_id = ? AND valid_to > ?",
    0,
  );

  /** Those of them that a person answers for. */
  readonly goingOf = this.sql.value<[issuer: number, siteId: number, at: number], number>(
    `SELECT count(*) AS count FROM issued AS i JOIN guest_pass AS g ON g.id = CAST(i.id AS INTEGER)
      WHERE i.issuer = ? AND i.kind = 'guest_pass' AND g.site_id = ? AND g.valid_to > ?`,
    0,
  );

  /** The pass of a household that ended longest ago. */
  readonly endedFirst = this.sql.first<[siteId: number, at: number], GuestPassRow>(
    `SELECT ${COLUMNS} FROM guest_pass WHERE site_id = ? AND valid_to <= ? ORDER BY valid_to LIMIT 1`,
  );

  /** Stores a new pass and answers its id. */
  readonly insert = this.sql.insert<
    [row: Omit<GuestPassRow, "id">]
  >(`INSERT INTO guest_pass (site_id, rule_id, token_hash, label, device_id, valid_from, valid_to, windows, tries_left, created_at, created_by, opened_at)
       VALUES (@siteId, @ruleId, @tokenHash, @label, @deviceId, @validFrom, @validTo, @windows, @triesLeft, @createdAt, @createdBy, @openedAt)`);

  /** Writes what may change. */
  readonly update = this.sql.run<[row: GuestPassRow]>(
    "UPDATE guest_pass SET rule_id = @ruleId, token_hash = @tokenHash, tries_left = @triesLeft, opened_at = @openedAt WHERE id = @id",
  );

  /** The pass that owns a rule; null: none. */
  readonly ofRule = this.sql.value<[ruleId: number], number | null>(
    "SELECT id FROM guest_pass WHERE rule_id = ?",
    null,
  );

  /** Takes the rule from its pass for good: the link makes no other. */
  readonly detach = this.sql.run<[ruleId: number]>(
    "UPDATE guest_pass SET rule_id = NULL, tries_left = 0 WHERE rule_id = ?",
  );

  readonly remove = this.sql.run<[id: number]>("DELETE FROM guest_pass WHERE id = ?");

  /** Passes that ended before `before`, at most 500. */
  readonly endedBefore = this.sql.all<[before: number], GuestPassRow>(
    `SELECT ${COLUMNS} FROM guest_pass WHERE valid_to < ? LIMIT 500`,
  );
}
