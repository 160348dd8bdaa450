import { Table } from "../../../core/storage/table.ts";
import { BEHIND } from "./issued.ts";

/** A row of `audit`. */
export interface AuditRow {
  readonly id: number;
  /** Null: the host itself did it (command line). */
  readonly accountId: number | null;
  readonly actor: string;
  /** Name of the signed-in person, or of the key, at that time; null for the command line and the hub. */
  readonly person: string | null;
  /** The account of the signed-in person, or of the key's issuer; null for the command line and the hub. */
  readonly personId: number | null;
  readonly action: string;
  readonly target: string;
  /** JSON object, never a secret. */
  readonly detail: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The lines that are asked for. */
interface AuditNarrowing {
  readonly beforeId: number;
  readonly personId: number | null;
  /** Epoch milliseconds, inclusive. */
  readonly from: number;
  /** Epoch milliseconds, exclusive. */
  readonly to: number;
  readonly limit: number;
}

const COLUMNS = `id, account_id AS accountId, actor, person, person_id AS personId, action, target, detail, at`;

/** All SQL of the table `audit`. Writing methods belong inside a write job. */
export class AuditTable extends Table {
  /**
   * Stores one line, in the list of the account's household, with the name of the person behind a session, or of the
   * key.
   */
  readonly insert = this.sql.run<
    [row: Omit<AuditRow, "id" | "person">]
  >(`INSERT INTO audit (account_id, actor, person_id, person, action, target, detail, at)
       VALUES (coalesce((SELECT household_of FROM account WHERE id = @accountId), @accountId), @actor, ${BEHIND},
         CASE WHEN @actor GLOB 'session:*'
           THEN (SELECT account.name FROM session JOIN account ON account.id = session.account_id WHERE session.id = CAST(substr(@actor, 9) AS INTEGER))
           WHEN @actor GLOB 'api_key:*' THEN (SELECT name FROM api_key WHERE id = CAST(substr(@actor, 9) AS INTEGER))
           WHEN @actor GLOB 'matter:*' THEN (SELECT name FROM matter_fabric WHERE id = CAST(substr(@actor, 8) AS INTEGER)) END,
         @action, @target, @detail, @at)`);

  /** Lines of an account and of the host, newest first, with ids below `beforeId`. */
  readonly list = this.sql.all<[accountId: number, beforeId: number, limit: number], AuditRow>(
    `SELECT ${COLUMNS} FROM audit WHERE (account_id = ? OR account_id IS NULL) AND id < ? ORDER BY id DESC LIMIT ?`,
  );

  readonly #narrowed = this.sql.all<
    [
      accountId: number,
      beforeId: number,
      personId: number | null,
      same: number | null,
      from: number,
      to: number,
      limit: number,
    ],
    AuditRow
  >(
    `SELECT ${COLUMNS} FROM audit WHERE (account_id = ? OR account_id IS NULL) AND id < ?
       AND (? IS NULL OR person_id = ?) AND at >= ? AND at < ? ORDER BY id DESC LIMIT ?`,
  );

  /** Forgets up to `most` lines from before `before`, the oldest first; returns how many. */
  readonly purge = this.sql.changes<[before: number, most: number]>(
    "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?)",
  );

  /** How many lines are from before `before`. */
  readonly countBefore = this.sql.value<[before: number], number>(
    "SELECT count(*) AS count FROM audit WHERE at < ?",
    0,
  );

  /** Like {@link list}, of one person (null: of everybody), from `from` until before `to`. */
  narrowed(accountId: number, { beforeId, personId, from, to, limit }: AuditNarrowing): AuditRow[] {
    return this.#narrowed(accountId, beforeId, personId, personId, from, to, limit);
  }
}
