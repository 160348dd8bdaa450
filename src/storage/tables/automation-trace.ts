import type { Database } from "../database.js";

/** A trace as stored: JSON text with its time (epoch ms). */
interface StoredTrace {
  readonly id: number;
  readonly at: number;
  readonly body: string;
}

/** The prepared statements of table `automation_trace`. Changing ones run inside a write job. */
export interface AutomationTraceTable {
  /** Adds a trace; nothing happens when the rule is gone. */
  insert(automationId: number, at: number, body: string): void;
  /** Drops all but the newest `keep` traces of a rule. */
  trim(automationId: number, keep: number): void;
  /** Newest first. */
  list(automationId: number, limit: number): StoredTrace[];
}

/** Prepares the statements of table `automation_trace`. */
export function automationTraceTable(database: Database): AutomationTraceTable {
  const { raw } = database;
  const insert = raw.prepare("INSERT INTO automation_trace (automation_id, at, body) SELECT id, ?, ? FROM automation WHERE id = ?");
  const trim = raw.prepare(
    `DELETE FROM automation_trace WHERE automation_id = ? AND id <=
       (SELECT id FROM automation_trace WHERE automation_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
  );
  const list = raw.prepare<[number, number], StoredTrace>("SELECT id, at, body FROM automation_trace WHERE automation_id = ? ORDER BY id DESC LIMIT ?");
  return {
    insert: (automationId, at, body) => void insert.run(at, body, automationId),
    trim: (automationId, keep) => void trim.run(automationId, automationId, keep),
    list: (automationId, limit) => list.all(automationId, limit),
  };
}
