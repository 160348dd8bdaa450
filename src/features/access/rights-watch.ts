import type { Clock } from "../../core/kernel/clock.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Accounts } from "./accounts.ts";

/**
 * Notices every change of the rows that rights are derived from: sessions that end, persons who are removed or get
 * another role or end, keys that are changed or end, grants that get another issuer. The database itself watches (temporary
 * triggers of this connection, the only one that writes), so it does not matter which part makes the change, or how.
 */
export class RightsWatch implements Service {
  readonly name = "rights";
  readonly #database: Database;
  readonly #ends: { readonly clock: Pick<Clock, "certain">; readonly accounts: Pick<Accounts, "nextEnd"> };
  readonly #listeners = new Set<() => void>();
  #isDue = false;
  /** The connection that has the triggers. */
  #watched: Database["raw"] | null = null;
  #epoch = 0;
  /** Whether rights changed in a transaction that may not have ended yet. */
  #isOpen = false;
  /** The earliest end of a person, which changes rights without a row; null: not asked since rows changed. */
  #nextEnd: number | null = null;

  constructor(
    database: Database,
    ends: { readonly clock: Pick<Clock, "certain">; readonly accounts: Pick<Accounts, "nextEnd"> },
  ) {
    this.#database = database;
    this.#ends = ends;
  }

  /** Begins to watch; needs the open database. */
  async start(): Promise<void> {
    const { raw, state } = this.#database;
    if (state === "damaged") return; // it takes no changes either
    raw.function("rights_changed", () => {
      this.#note();
      return null;
    });
    for (const [name, event] of WATCHED)
      raw.exec(`CREATE TEMP TRIGGER rights_${name} AFTER ${event} BEGIN SELECT rights_changed(); END`);
    this.#watched = raw;
  }

  /** The triggers go with the connection. */
  async stop(): Promise<void> {}

  /**
   * While this number is the same, an answer that only these rows decide is the same. Null where no answer may be kept:
   * in a write job that has changed such a row, since it may be rolled back, while nothing watches, and from a person's
   * end until its row says so.
   */
  get epoch(): number | null {
    const { raw } = this.#database;
    this.#isOpen &&= raw.inTransaction;
    if (raw !== this.#watched || this.#isOpen) return null;
    const { clock, accounts } = this.#ends;
    this.#nextEnd ??= accounts.nextEnd() ?? Number.POSITIVE_INFINITY;
    if (clock.certain() < this.#nextEnd) return this.#epoch;
    this.#nextEnd = Number.NEGATIVE_INFINITY; // a clock that is set back changes nothing
    return null;
  }

  /**
   * Calls `listener` after each commit that changed rights, before the writer's promise resolves. Returns the function
   * that removes it.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rights changed without a row: a session that only memory has was ended, or a person's end came. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Inside a write job, as often as rows change. The listeners run after everything else that the commit brings: keys
   * are known in memory by then.
   */
  #note(): void {
    this.#epoch += 1;
    this.#isOpen = true;
    this.#nextEnd = null;
    this.#database.committed(() => {
      if (this.#isDue) return;
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        for (const listener of this.#listeners) listener();
      });
    });
  }
}

const WATCHED = [
  ["session_gone", "DELETE ON session"],
  ["person_new", "INSERT ON account"], // an INSERT OR REPLACE fires nothing else
  ["person_gone", "DELETE ON account"],
  ["person_changed", "UPDATE OF id, role, household_of, ends_at, ended_at, limits ON account"],
  ["key_gone", "DELETE ON api_key"],
  ["key_changed", "UPDATE OF scopes, origins, expires_at, revoked_at, site_id ON api_key"],
  ["issuer_new", "INSERT ON issued"],
  ["issuer_gone", "DELETE ON issued"],
  ["issuer_changed", "UPDATE ON issued"],
] as const;
