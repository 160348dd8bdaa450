import type { Service } from "../../core/kernel/service.ts";
import type { Database } from "../../core/storage/database.ts";

/**
 * Notices, once it is on disk, every change of the rows that rights are derived from: sessions that end, persons who
 * are removed or get another role, keys that are changed or end. The database itself watches (temporary triggers of
 * this connection), so it does not matter which part makes the change, or how.
 */
export class RightsWatch implements Service {
  readonly name = "rights";
  readonly #database: Database;
  readonly #listeners = new Set<() => void>();
  #isDue = false;

  constructor(database: Database) {
    this.#database = database;
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
  }

  /** The triggers go with the connection. */
  async stop(): Promise<void> {}

  /**
   * Calls `listener` after each commit that changed rights, before the writer's promise resolves. Returns the function
   * that removes it.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rights changed without a row: a session that only memory has was ended. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Inside a write job, as often as rows change. The listeners run after everything else that the commit brings: keys
   * are known in memory by then.
   */
  #note(): void {
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
  ["person_gone", "DELETE ON account"],
  ["person_changed", "UPDATE OF role, household_of ON account"],
  ["key_gone", "DELETE ON api_key"],
  ["key_changed", "UPDATE OF scopes, origins, expires_at, revoked_at, site_id ON api_key"],
] as const;
