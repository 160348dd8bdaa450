import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** All SQL of the table `recovery_code`: one-time codes by their SHA-256. Writing methods belong inside a write job. */
export class RecoveryCodeTable extends tableOf(prepare) {
  /** Unused codes of an account. */
  countUnused(accountId: number): number {
    return this.sql.countUnused.get(accountId)?.n ?? 0;
  }

  /** Replaces all earlier codes by new ones. */
  replace(accountId: number, hashes: readonly string[]): void {
    this.sql.clear.run(accountId);
    for (const hash of hashes) this.sql.insert.run(accountId, hash);
  }

  /** Whether a code can still be used. */
  isUnused(accountId: number, hash: string): boolean {
    return this.sql.isUnused.get(accountId, hash) !== undefined;
  }

  /** Uses up a code; false when it is unknown or was used before. */
  use(accountId: number, hash: string, at: number): boolean {
    return this.sql.use.run(at, accountId, hash).changes > 0;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    countUnused: raw.prepare<[number], { n: number }>(
      "SELECT count(*) AS n FROM recovery_code WHERE account_id = ? AND used_at IS NULL",
    ),
    isUnused: raw.prepare<[number, string]>(
      "SELECT 1 FROM recovery_code WHERE account_id = ? AND code_hash = ? AND used_at IS NULL",
    ),
    clear: raw.prepare<[number]>("DELETE FROM recovery_code WHERE account_id = ?"),
    insert: raw.prepare<[number, string]>("INSERT INTO recovery_code (account_id, code_hash) VALUES (?, ?)"),
    use: raw.prepare<[number, number, string]>(
      "UPDATE recovery_code SET used_at = ? WHERE account_id = ? AND code_hash = ? AND used_at IS NULL",
    ),
  };
}
