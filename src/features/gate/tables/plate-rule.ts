import type { Base } from "../../../core/base.ts";
import type { Earns, RuleKind } from "../../../core/plates/decide.ts";
import { type Master, mayChange, mayMake, type RuleAuthor } from "../../../core/plates/masters.ts";
import { Table } from "../../../core/storage/table.ts";
import { GuestPassTable } from "./guest-pass.ts";

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
  /** Who made it what it is. */
  readonly master: Master;
  /** What an allowed plate earns; null: what the defaults say. */
  readonly earns: Earns | null;
}

/** A rule that is to be stored; its author is its master. */
export type RuleDraft = Omit<PlateRuleRow, "id" | "hits" | "master">;

const COLUMNS = `id, site_id AS siteId, plate, formatted, kind, label, device_id AS deviceId, valid_from AS validFrom,
  valid_to AS validTo, windows, enabled, hits, created_at AS createdAt, master, earns`;

/** Who answers for a rule, or for the pass whose rule it is, if they have lost the right to it. */
const FALLEN = `SELECT 1 FROM issued AS i WHERE (i.kind, i.id) = (
    SELECT coalesce(min('guest_pass'), 'plate_rule'), coalesce(min(CAST(g.id AS TEXT)), CAST(plate_rule.id AS TEXT))
      FROM guest_pass AS g WHERE g.rule_id = plate_rule.id)
  AND NOT EXISTS (SELECT 1 FROM account AS a WHERE a.id = i.issuer
    AND a.ended_at IS NULL AND (a.ends_at IS NULL OR a.ends_at > @at) AND (a.role = 'owner' OR i.role IN ('member', a.role)))`;

/** What the table of plate rules is made of: it announces what is changed by it. */
export type RuleBase = Pick<Base, "database" | "bus"> & { readonly clock: Pick<Base["clock"], "now"> };

/**
 * All SQL of the table `plate_rule`, and the only place that decides who may change a rule and announces that one was.
 * Writing methods belong inside a write job.
 */
export class PlateRuleTable extends Table {
  readonly #standing = this.sql.statement<[number, string, string], PlateRuleRow>(
    `SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? AND plate = ? AND ifnull(device_id, '') = ?`,
  );
  readonly #insert = this.sql.statement<
    [Omit<PlateRuleRow, "id" | "hits">]
  >(`INSERT INTO plate_rule (site_id, plate, formatted, kind, label, device_id, valid_from, valid_to, windows, enabled, created_at, master, earns)
       VALUES (@siteId, @plate, @formatted, @kind, @label, @deviceId, @validFrom, @validTo, @windows, @enabled, @createdAt, @master, @earns)`);
  readonly #update = this.sql.statement<
    [PlateRuleRow]
  >(`UPDATE plate_rule SET plate = @plate, formatted = @formatted, kind = @kind, label = @label, valid_from = @validFrom, valid_to = @validTo,
         windows = @windows, enabled = @enabled, master = @master, earns = @earns WHERE id = @id`);
  readonly #remove = this.sql.statement<[number]>("DELETE FROM plate_rule WHERE id = ?");

  readonly #plates = this.sql.all<[siteId: number], { plate: string }>(
    "SELECT DISTINCT plate FROM plate_rule WHERE site_id = ?",
  );

  readonly #passes = new GuestPassTable(this.database);
  readonly #base: RuleBase;
  /** Households of which the commit that is being told has announced a change. */
  readonly #announced = new Set<number>();

  constructor(base: RuleBase) {
    super(base.database);
    this.#base = base;
  }

  /** Announces, once that is committed, that rules were added, changed or removed: of an import, not each of its lines. */
  #announce(siteId: number): void {
    const { database, bus, clock } = this.#base;
    database.committed(() => {
      if (this.#announced.has(siteId)) return;
      this.#announced.add(siteId);
      queueMicrotask(() => this.#announced.delete(siteId)); // once the rest of this commit has been told
      bus.announce("plate_rules.changed", { siteId, at: clock.now() });
    });
  }

  /** All rules of a household, by id. */
  readonly list = this.sql.all<[siteId: number], PlateRuleRow>(
    `SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? ORDER BY id`,
  );

  /** Rules that name a plate. */
  readonly of = this.sql.all<[siteId: number, plate: string], PlateRuleRow>(
    `SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? AND plate = ? ORDER BY id`,
  );

  /**
   * Rules that name a plate, as they decide at `at`, which has certainly come: one for which nobody answers any more lets
   * nobody in, also before it is switched off.
   */
  readonly deciding = this.sql.all<
    [asked: { readonly siteId: number; readonly plate: string; readonly at: number }],
    PlateRuleRow
  >(
    `SELECT ${COLUMNS.replace("enabled", `(enabled = 1 AND (kind <> 'allow' OR NOT EXISTS (${FALLEN}))) AS enabled`)}
       FROM plate_rule WHERE site_id = @siteId AND plate = @plate ORDER BY id`,
  );

  /** The plates that any rule names, each once. */
  plates(siteId: number): string[] {
    return this.#plates(siteId).map(({ plate }) => plate);
  }

  /** The rule of a plate and scope; null when there is none. */
  standing(siteId: number, plate: string, deviceId: string | null): PlateRuleRow | null {
    return this.#standing.get(siteId, plate, deviceId ?? "") ?? null;
  }

  readonly find = this.sql.first<[siteId: number, id: number], PlateRuleRow>(
    `SELECT ${COLUMNS} FROM plate_rule WHERE site_id = ? AND id = ?`,
  );

  readonly count = this.sql.value<[siteId: number], number>(
    "SELECT count(*) AS count FROM plate_rule WHERE site_id = ?",
    0,
  );

  /** Of a household's rules, those that have ended at `at`. */
  readonly ended = this.sql.value<[siteId: number, at: number], number>(
    "SELECT count(*) AS count FROM plate_rule WHERE site_id = ? AND valid_to <= ?",
    0,
  );

  /** How many of a household's rules a person answers for. */
  readonly ofIssuer = this.sql.value<[issuer: number, siteId: number], number>(
    `SELECT count(*) AS count FROM issued AS i JOIN plate_rule AS r ON r.id = CAST(i.id AS INTEGER)
      WHERE i.issuer = ? AND i.kind = 'plate_rule' AND r.site_id = ?`,
    0,
  );

  /** The pass whose rule it is; null: none's. */
  passOf(id: number): number | null {
    return this.#passes.ofRule(id);
  }

  /** Whether an author may change or remove a rule as it stands. */
  mayChange(rule: PlateRuleRow, author: RuleAuthor): boolean {
    return mayChange(author, { ...rule, passId: this.#passes.ofRule(rule.id) });
  }

  /** Stores a new rule and answers its id. @throws Error unless the author may */
  insert(row: RuleDraft, author: RuleAuthor): number {
    this.#refuseUnlessMaster(mayMake(author, row.kind));
    this.#announce(row.siteId);
    return Number(this.#insert.run({ ...row, master: author.master }).lastInsertRowid);
  }

  /**
   * Writes what an author may change, and makes the author its master: a pass whose rule it was has none any more.
   * @throws Error unless the author may
   */
  update(row: PlateRuleRow, author: RuleAuthor): void {
    const standing = this.find(row.siteId, row.id);
    if (standing === null) return;
    this.#refuseUnlessMaster(this.mayChange(standing, author) && mayMake(author, row.kind));
    if (this.#passes.ofRule(row.id) !== author.passId) this.#passes.detach(row.id);
    this.#update.run({ ...row, master: author.master });
    this.#announce(row.siteId);
  }

  /** Deletes a rule, and the pass whose rule it is. @throws Error unless the author may */
  remove(rule: PlateRuleRow, author: RuleAuthor): void {
    this.#refuseUnlessMaster(this.mayChange(rule, author));
    this.#remove.run(rule.id);
    this.#announce(rule.siteId);
  }

  #refuseUnlessMaster(isMaster: boolean): void {
    if (!isMaster) throw new Error("a plate rule is changed only by its master, or a greater one");
  }

  /** Counts a read that the rule decided. */
  readonly hit = this.sql.run<[id: number]>("UPDATE plate_rule SET hits = hits + 1 WHERE id = ?");
}
