import type { Action, Condition, Mode, Rule, RuleBody, RunResult, Trigger } from "../../domain/automation/rule.js";
import type { Database } from "../database.js";

interface Row {
  id: number;
  siteId: number;
  authorKey: number | null;
  name: string;
  enabled: 0 | 1;
  trigger: string;
  conditions: string;
  action: string;
  mode: Mode;
  cooldownSeconds: number;
  lastTriggeredAt: number | null;
  lastResult: RunResult | null;
  createdAt: number;
  updatedAt: number;
}

/** What is written of a rule, and by which key; null: by the household itself. */
type WrittenRule = RuleBody & Pick<Rule, "authorKey">;

/** The prepared statements of table `automation`. Changing ones run inside a write job. */
export interface AutomationTable {
  /** Every rule of every site, by id. */
  all(): Rule[];
  find(id: number): Rule | null;
  /** How many rules a site has. */
  count(siteId: number): number;
  /** Returns the new rule's id. */
  insert(siteId: number, rule: WrittenRule, at: number): number;
  update(id: number, rule: WrittenRule, at: number): void;
  /** Notes when the rule began to run last and how that ended. */
  ran(id: number, lastTriggeredAt: number | null, lastResult: RunResult | null): void;
  remove(id: number): void;
}

/** Prepares the statements of table `automation`. */
export function automationTable(database: Database): AutomationTable {
  const { raw } = database;
  const all = raw.prepare<[], Row>("SELECT * FROM automation ORDER BY id");
  const find = raw.prepare<[number], Row>("SELECT * FROM automation WHERE id = ?");
  const count = raw.prepare<[number], { rules: number }>("SELECT count(*) AS rules FROM automation WHERE site_id = ?");
  const insert = raw.prepare(
    `INSERT INTO automation (site_id, name, enabled, trigger, conditions, action, mode, cooldown_seconds, author_key, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = raw.prepare(
    "UPDATE automation SET name = ?, enabled = ?, trigger = ?, conditions = ?, action = ?, mode = ?, cooldown_seconds = ?, author_key = ?, updated_at = ? WHERE id = ?",
  );
  const ran = raw.prepare("UPDATE automation SET last_triggered_at = ?, last_result = ? WHERE id = ?");
  const remove = raw.prepare("DELETE FROM automation WHERE id = ?");
  const columns = (body: WrittenRule): [string, number, string, string, string, string, number, number | null] => [
    body.name,
    body.enabled ? 1 : 0,
    JSON.stringify(body.trigger),
    JSON.stringify(body.conditions),
    JSON.stringify(body.action),
    body.mode,
    body.cooldownSeconds,
    body.authorKey,
  ];
  return {
    all: () => all.all().map(toRule),
    find: (id) => {
      const row = find.get(id);
      return row === undefined ? null : toRule(row);
    },
    count: (siteId) => count.get(siteId)?.rules ?? 0,
    insert: (siteId, body, at) => Number(insert.run(siteId, ...columns(body), at, at).lastInsertRowid),
    update: (id, body, at) => void update.run(...columns(body), at, id),
    ran: (id, lastTriggeredAt, lastResult) => void ran.run(lastTriggeredAt, lastResult, id),
    remove: (id) => void remove.run(id),
  };
}

function toRule(row: Row): Rule {
  return {
    id: row.id,
    siteId: row.siteId,
    authorKey: row.authorKey,
    name: row.name,
    enabled: row.enabled === 1,
    trigger: JSON.parse(row.trigger) as Trigger, // only validated rules are stored
    conditions: JSON.parse(row.conditions) as Condition[], // likewise
    action: JSON.parse(row.action) as Action, // likewise
    mode: row.mode,
    cooldownSeconds: row.cooldownSeconds,
    lastTriggeredAt: row.lastTriggeredAt,
    lastResult: row.lastResult,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
