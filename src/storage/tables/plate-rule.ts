import type SqliteDatabase from "better-sqlite3";
import type { RuleKind } from "../../domain/plates/decide.js";
import { tableOf } from "../table.js";

/** A row of `plate_rule`. Times are epoch milliseconds. */
export interface PlateRuleRow {
  readonly id: number;
  readonly siteId: number;
  readonly plate: string;
  readonly formatted: string;
  readonly kind: RuleKind;
  readonly label: string;
  /** Null: every camera of the site. */
  readonly deviceId: string | null;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  /** JSON array of windows; null: at all times. */
  readonly windows: string | null;
  readonly enabled: 0 | 1;
  readonly hits: number;
  readonly createdAt: number;
}

const COLUMNS = `id, site_id AS siteId, plate, formatted, kind, label, device_id AS deviceId, valid_from AS validFrom,
  valid_to AS validTo, windows, enabled, hits, created_at AS createdAt`;

/** All SQL of the table `plate_rule`. Writing methods belong inside a write job. */
export class PlateRuleTable extends tableOf(prepare) {
  /** All rules of a household, by id. */
  list(siteId: number): PlateRuleRow[] {
    return this.sql.list.all(siteId);
  }

  /** Rules that name a plate. */
  of(siteId: number, plate: string): PlateRuleRow[] {
    return this.sql.of.all(siteId, plate);
  }

  /** The rule of a plate and scope; null when there is none. */
  standing(siteId: number, plate: string, deviceId: string | null): PlateRuleRow | null {
    return this.sql.standing.get(siteId, plate, deviceId ?? "") ?? null;
  }

  find(siteId: number, id: number): PlateRuleRow | null {
    return this.sql.find.get(siteId, id) ?? null;
  }

  count(siteId: number): number {
    return this.sql.count.get(siteId)?.count ?? 0;
  }

  /** Stores a new rule and answers its id. */
  insert(row: Omit<PlateRuleRow, "id" | "hits">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  /** Writes what a person may change. */
  update(row: PlateRuleRow): void {
    this.sql.update.run(row);
  }

  remove(id: number): void {
    this.sql.remove.run(id);
  }

  /** Counts a read that the rule decided. */
  hit(id: number): void {
    this.sql.hit.run(id);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    list: raw.prepare<[number], PlateRuleRow>(`SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? ORDER BY id`),
    of: raw.prepare<[number, string], PlateRuleRow>(
      `SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? AND plate = ? ORDER BY id`,
    ),
    standing: raw.prepare<[number, string, string], PlateRuleRow>(
      `SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? AND plate = ? AND ifnull(device_id, '') = ?`,
    ),
    find: raw.prepare<[number, number], PlateRuleRow>(`SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? AND id = ?`),
    count: raw.prepare<[number], { count: number }>("SELECT count(*) AS count FROM plate_rule WHERE site_id = ?"),
    insert: raw.prepare<[Omit<PlateRuleRow, "id" | "hits">]>(
      `INSERT INTO plate_rule (site_id, plate, formatted, kind, label, device_id, valid_from, valid_to, windows, enabled, created_at)
       VALUES (@siteId, @plate, @formatted, @kind, @label, @deviceId, @validFrom, @validTo, @windows, @enabled, @createdAt)`,
    ),
    update: raw.prepare<[PlateRuleRow]>(
      `UPDATE plate_rule SET plate = @plate, formatted = @formatted, kind = @kind, label = @label, valid_from = @validFrom, valid_to = @validTo,
         windows = @windows, enabled = @enabled WHERE id = @id`,
    ),
    remove: raw.prepare<[number]>("DELETE FROM plate_rule WHERE id = ?"),
    hit: raw.prepare<[number]>("UPDATE plate_rule SET hits = hits + 1 WHERE id = ?"),
  };
}
