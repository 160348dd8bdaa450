import { Table } from "../../../core/storage/table.ts";
import type { Action, Condition, Rule, RuleBody, RunResult, Trigger } from "../rules/rule.ts";

/** A row of `automation`: JSON as text, booleans as 0 and 1. */
type AutomationRow = Omit<Rule, "enabled" | "trigger" | "conditions" | "action"> & {
  readonly enabled: 0 | 1;
  readonly trigger: string;
  readonly conditions: string;
  readonly action: string;
};

const COLUMNS = `id, site_id AS siteId, author_key AS authorKey, name, enabled, paused_until AS pausedUntil, trigger, conditions, action, mode, cooldown_seconds AS cooldownSeconds,
  last_triggered_at AS lastTriggeredAt, last_result AS lastResult, created_at AS createdAt, updated_at AS updatedAt`;

/** The written members of a rule, and the key that wrote them; null: the household itself. */
type WrittenRule = RuleBody & Pick<Rule, "authorKey">;

type WrittenRow = Omit<
  AutomationRow,
  "siteId" | "id" | "pausedUntil" | "lastTriggeredAt" | "lastResult" | "createdAt" | "updatedAt"
>;

/** All SQL of `automation`. Writing methods belong inside a write job. */
export class AutomationTable extends Table {
  readonly #all = this.sql.statement<[], AutomationRow>(`SELECT ${COLUMNS} FROM automation ORDER BY id`);
  readonly #find = this.sql.statement<[number], AutomationRow>(`SELECT ${COLUMNS} FROM automation WHERE id = ?`);
  readonly #insert = this.sql.statement<
    [WrittenRow & { siteId: number; at: number }]
  >(`INSERT INTO automation (site_id, name, enabled, trigger, conditions, action, mode, cooldown_seconds, author_key, created_at, updated_at)
       VALUES (@siteId, @name, @enabled, @trigger, @conditions, @action, @mode, @cooldownSeconds, @authorKey, @at, @at)`);
  readonly #update = this.sql.statement<
    [WrittenRow & { id: number; at: number }]
  >(`UPDATE automation SET name = @name, paused_until = CASE WHEN enabled = @enabled THEN paused_until END, enabled = @enabled, trigger = @trigger, conditions = @conditions, action = @action, mode = @mode,
         cooldown_seconds = @cooldownSeconds, author_key = @authorKey, updated_at = @at WHERE id = @id`);
  readonly #ran = this.sql.statement<[number | null, RunResult | null, number]>(
    "UPDATE automation SET last_triggered_at = ?, last_result = ? WHERE id = ?",
  );

  /** Every rule of every site, by id. */
  all(): Rule[] {
    return this.#all.all().map(toRule);
  }

  find(id: number): Rule | null {
    const row = this.#find.get(id);
    return row === undefined ? null : toRule(row);
  }

  /** How many rules a site has. */
  readonly count = this.sql.value<[siteId: number], number>(
    "SELECT count(*) AS rules FROM automation WHERE site_id = ?",
    0,
  );

  /** Returns the new rule's id. */
  insert(siteId: number, rule: WrittenRule, at: number): number {
    return Number(this.#insert.run({ siteId, ...toRow(rule), at }).lastInsertRowid);
  }

  /** Switching a rule on or off ends its pause. */
  update(id: number, rule: WrittenRule, at: number): void {
    this.#update.run({ id, ...toRow(rule), at });
  }

  /** Notes when the rule last began to run and how that ended. */
  ran(id: number, lastTriggeredAt: number | null, lastResult: RunResult | null): void {
    this.#ran.run(lastTriggeredAt, lastResult, id);
  }

  readonly pause = this.sql.run<[until: number | null, id: number]>(
    "UPDATE automation SET paused_until = ? WHERE id = ?",
  );

  readonly remove = this.sql.run<[id: number]>("DELETE FROM automation WHERE id = ?");
}

function toRule(row: AutomationRow): Rule {
  return {
    ...row,
    enabled: row.enabled === 1,
    trigger: JSON.parse(row.trigger) as Trigger, // only validated rules are stored
    conditions: JSON.parse(row.conditions) as Condition[], // likewise
    action: JSON.parse(row.action) as Action, // likewise
  };
}

function toRow({
  name,
  enabled,
  trigger,
  conditions,
  action,
  mode,
  cooldownSeconds,
  authorKey,
}: WrittenRule): WrittenRow {
  const json = {
    trigger: JSON.stringify(trigger),
    conditions: JSON.stringify(conditions),
    action: JSON.stringify(action),
  };
  return { name, enabled: enabled ? 1 : 0, ...json, mode, cooldownSeconds, authorKey };
}
