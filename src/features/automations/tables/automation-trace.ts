import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A trace as stored: JSON text with its time (epoch ms). */
interface StoredTrace {
  readonly id: number;
  readonly at: number;
  readonly body: string;
}

/** All SQL of `automation_trace`. Writing methods belong inside a write job. */
export class AutomationTraceTable extends tableOf(prepare) {
  /** Adds a trace; does nothing if the rule is gone. */
  insert(automationId: number, at: number, body: string): void {
    this.sql.insert.run(at, body, automationId);
  }

  /** Drops all but the newest `keep` traces of a rule. */
  trim(automationId: number, keep: number): void {
    this.sql.trim.run(automationId, automationId, keep);
  }

  /** Newest first. */
  list(automationId: number, limit: number): StoredTrace[] {
    return this.sql.list.all(automationId, limit);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    insert: raw.prepare<[number, string, number]>(
      "INSERT INTO automation_trace (automation_id, at, body) SELECT id, ?, ? FROM automation WHERE id = ?",
    ),
    trim: raw.prepare<[number, number, number]>(
      `DELETE FROM automation_trace WHERE automation_id = ? AND id <=
         (SELECT id FROM automation_trace WHERE automation_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
    ),
    list: raw.prepare<[number, number], StoredTrace>(
      "SELECT id, at, body FROM automation_trace WHERE automation_id = ? ORDER BY id DESC LIMIT ?",
    ),
  };
}
