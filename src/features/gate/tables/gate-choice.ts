import { Table } from "../../../core/storage/table.ts";

/** A row of `gate_choice`. */
export interface GateChoiceRow {
  readonly siteId: number;
  /** JSON text of what a household has chosen (`features/gate/gate-choices.ts`). */
  readonly choices: string;
}

/** All SQL of `gate_choice`. Writing methods belong inside a write job. */
export class GateChoiceTable extends Table {
  readonly #find = this.sql.statement<[number], Pick<GateChoiceRow, "choices">>(
    "SELECT choices FROM gate_choice WHERE site_id = ?",
  );

  /** What a household has chosen; null: nothing yet. */
  find(siteId: number): string | null {
    return this.#find.get(siteId)?.choices ?? null;
  }

  readonly put = this.sql.run<
    [row: GateChoiceRow]
  >(`INSERT INTO gate_choice (site_id, choices) VALUES (@siteId, @choices)
       ON CONFLICT (site_id) DO UPDATE SET choices = @choices`);
}
