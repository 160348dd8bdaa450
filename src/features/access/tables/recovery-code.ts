import { Table } from "../../../core/storage/table.ts";

/** All SQL of the table `recovery_code`: one-time codes by their SHA-256. Writing methods belong inside a write job. */
export class RecoveryCodeTable extends Table {
  readonly #clear = this.sql.statement<[number]>("DELETE FROM recovery_code WHERE account_id = ?");
  readonly #insert = this.sql.statement<[number, string]>(
    "INSERT INTO recovery_code (account_id, code_hash) VALUES (?, ?)",
  );
  readonly #use = this.sql.statement<[number, number, string]>(
    "UPDATE recovery_code SET used_at = ? WHERE account_id = ? AND code_hash = ? AND used_at IS NULL",
  );

  /** Unused codes of an account. */
  readonly countUnused = this.sql.value<[accountId: number], number>(
    "SELECT count(*) AS n FROM recovery_code WHERE account_id = ? AND used_at IS NULL",
    0,
  );

  /** Replaces all earlier codes by new ones. */
  replace(accountId: number, hashes: readonly string[]): void {
    this.#clear.run(accountId);
    for (const hash of hashes) this.#insert.run(accountId, hash);
  }

  /** Whether a code can still be used. */
  readonly isUnused = this.sql.any<[accountId: number, hash: string]>(
    "SELECT 1 FROM recovery_code WHERE account_id = ? AND code_hash = ? AND used_at IS NULL",
  );

  /** Uses up a code; false when it is unknown or was used before. */
  use(accountId: number, hash: string, at: number): boolean {
    return this.#use.run(at, accountId, hash).changes > 0;
  }
}
