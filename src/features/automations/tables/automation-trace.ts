import { Table } from "../../../core/storage/table.ts";

/** A trace as stored: JSON text with its time (epoch ms). */
interface StoredTrace {
  readonly id: number;
  readonly at: number;
  readonly body: string;
}

/** All SQL of `automation_trace`. Writing methods belong inside a write job. */
export class AutomationTraceTable extends Table {
  readonly #insert = this.sql.statement<[number, string, number]>(
    "INSERT INTO automation_trace (automation_id, at, body) SELECT id, ?, ? FROM automation WHERE id = ?",
  );
  readonly #trim = this.sql.statement<
    [number, number, number]
  >(`DELETE FROM automation_trace WHERE automation_id = ? AND id <=
         (SELECT id FROM automation_trace WHERE automation_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`);

  /** Adds a trace; does nothing if the rule was deleted. */
  insert(automationId: number, at: number, body: string): void {
    this.#insert.run(at, body, automationId);
  }

  /** Drops all but the newest `keep` traces of a rule. */
  trim(automationId: number, keep: number): void {
    this.#trim.run(automationId, automationId, keep);
  }

  /**
   * Removes a household's traces of runs that a plate set off. Reads all of them: at most 50 of each rule, for an act
   * that is rare.
   */
  readonly removePlate = this.sql.run<[siteId: number, plate: string]>(
    `DELETE FROM automation_trace WHERE automation_id IN (SELECT id FROM automation WHERE site_id = ?)
       AND instr(body, '"plate":' || json_quote(?)) > 0`,
  );

  /** Removes traces from before a moment. */
  readonly removeOlder = this.sql.run<[at: number]>("DELETE FROM automation_trace WHERE at < ?");

  /** Newest first. */
  readonly list = this.sql.all<[automationId: number, limit: number], StoredTrace>(
    "SELECT id, at, body FROM automation_trace WHERE automation_id = ? ORDER BY id DESC LIMIT ?",
  );
}
