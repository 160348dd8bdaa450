import { Table } from "../../../core/storage/table.ts";

/** All SQL of `hidden_hint`. Writing methods belong inside a write job. */
export class HiddenHintTable extends Table {
  /** 1 where a person has put a suggestion away, else 0. */
  readonly has = this.sql.value<[accountId: number, hint: string], number>(
    "SELECT 1 AS hidden FROM hidden_hint WHERE account_id = ? AND hint = ?",
    0,
  );

  /** Puts a suggestion away for a person. */
  readonly put = this.sql.run<[accountId: number, hint: string]>(
    "INSERT INTO hidden_hint (account_id, hint) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
}
