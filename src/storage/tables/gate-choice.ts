import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../table.js";

/** A row of `gate_choice`. */
export interface GateChoiceRow {
  readonly siteId: number;
  /** JSON text of what a household has chosen (`gate/gate-choices.ts`). */
  readonly choices: string;
}

/** All SQL of `gate_choice`. Writing methods belong inside a write job. */
export class GateChoiceTable extends tableOf(prepare) {
  /** What a household has chosen; null: nothing yet. */
  find(siteId: number): string | null {
    return this.sql.find.get(siteId)?.choices ?? null;
  }

  put(row: GateChoiceRow): void {
    this.sql.put.run(row);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    find: raw.prepare<[number], Pick<GateChoiceRow, "choices">>("SELECT choices FROM gate_choice WHERE site_id = ?"),
    put: raw.prepare<[GateChoiceRow]>(
      `INSERT INTO gate_choice (site_id, choices) VALUES (@siteId, @choices)
       ON CONFLICT (site_id) DO UPDATE SET choices = @choices`,
    ),
  };
}
