import type { Database } from "../storage/database.js";
import { AuditTable } from "../storage/tables/audit.js";

/** One thing that somebody did. */
export interface AuditEntry {
  /** Null: the box itself (command line). */
  readonly accountId: number | null;
  /** `session:3`, `api_key:12`, `cli` or `hub`. */
  readonly actor: string;
  /** Object and verb: `key.created`, `password.changed`. */
  readonly action: string;
  /** What it was done to, in words a person knows. */
  readonly target: string;
  /** Further facts, never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An entry as it is read back. */
export interface AuditLine extends Required<AuditEntry> {
  readonly id: number;
  /** Name of the signed-in person; null for keys, the command line and the hub. */
  readonly person: string | null;
}

/** The list of who did what. Entries are written in the job of the change that they tell of. */
export class Audit {
  readonly #table: AuditTable;

  constructor(options: { readonly database: Database }) {
    this.#table = new AuditTable(options.database);
  }

  /** Writes one entry; inside a write job. */
  record(entry: AuditEntry): void {
    const { accountId, actor, action, target, detail = {}, at } = entry;
    this.#table.insert({ account_id: accountId, actor, action, target, detail: JSON.stringify(detail), at });
  }

  /** Entries of an account and of the box, newest first; `beforeId` pages on. */
  list(accountId: number, limit: number, beforeId: number | null = null): AuditLine[] {
    return this.#table.list(accountId, beforeId ?? Number.MAX_SAFE_INTEGER, limit).map((row) => ({
      id: row.id,
      accountId: row.account_id,
      actor: row.actor,
      person: row.person,
      action: row.action,
      target: row.target,
      detail: JSON.parse(row.detail) as Record<string, unknown>, // written by record()
      at: row.at,
    }));
  }

  /** Forgets entries from before `before`; inside a write job. Answers how many. */
  purge(before: number): number {
    return this.#table.purge(before);
  }
}
