import { Table } from "../../../core/storage/table.ts";

/** A row of `estate_entry`: an entry edited together, as this hub last received it. */
export interface EstateEntryRow {
  readonly key: string;
  readonly revision: number;
  /** JSON. */
  readonly value: string;
  /** `plate_rule` of this hub; null for an entry other than a rule. */
  readonly ruleId: number | null;
}

/** A row of `estate_hub`. */
export interface EstateHubRow {
  readonly hub: string;
  /** JSON. */
  readonly card: string;
  /** Epoch milliseconds; null: never. */
  readonly heardAt: number | null;
}

/** A row of `estate_forgotten`. */
export interface EstateForgottenRow {
  readonly token: string;
  readonly at: number;
  readonly told: 0 | 1;
  readonly applied: 0 | 1;
  readonly erased: 0 | 1;
}

/** What changed at this hub: a read, a visit closed by hand, a plate rule. */
export type NotedKind = 0 | 1 | 2;

/** All SQL of the small tables of an estate. Writing methods belong inside a write job. */
export class EstateTable extends Table {
  readonly #noted = this.sql.statement<[number, number], { id: number }>(
    "SELECT local_id AS id FROM estate_noted WHERE kind = ? ORDER BY local_id LIMIT ?",
  );
  readonly #rulesNotShared = this.sql.statement<[number], { id: number }>(
    "SELECT id FROM plate_rule r WHERE site_id = ? AND device_id IS NULL AND NOT EXISTS (SELECT 1 FROM estate_entry e WHERE e.rule_id = r.id) ORDER BY id",
  );
  readonly #entries = this.sql.statement<[number, string], EstateEntryRow>(
    `SELECT ${ENTRY} FROM estate_entry WHERE substr(key, 1, ?) = ? ORDER BY key`,
  );
  readonly #putEntry = this.sql.statement<
    [EstateEntryRow]
  >(`INSERT INTO estate_entry (key, revision, value, rule_id) VALUES (@key, @revision, @value, @ruleId)
       ON CONFLICT (key) DO UPDATE SET revision = @revision, value = @value, rule_id = @ruleId`);
  readonly #removeEntry = this.sql.statement<[string]>("DELETE FROM estate_entry WHERE key = ?");
  readonly #purgeGone = this.sql.statement<[string, string, number]>(
    "DELETE FROM estate_state WHERE key >= ? AND key < ? AND coalesce(json_extract(value, '$.at'), 0) < ?",
  );
  readonly #heard = this.sql.statement<[number, string]>("UPDATE estate_hub SET heard_at = ? WHERE hub = ?");
  readonly #removeState = this.sql.statement<[string]>("DELETE FROM estate_state WHERE key = ?");
  readonly #setState = this.sql.statement<[string, string]>(
    "INSERT INTO estate_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );

  /**
   * Makes temporary triggers of this connection record every change of a household's reads, closures and plate rules,
   * by any part. They end with the connection.
   * @param isOwn whether a change is this hub's own, not one that came from the estate
   * @param noted called in the transaction of each change
   */
  watch(siteId: number, isOwn: () => boolean, noted: () => void): void {
    const { raw } = this.database;
    const site = Number(siteId); // part of the triggers' text: they take no parameters
    raw.function("estate_own", () => (isOwn() ? 1 : 0));
    raw.function("estate_noted", () => {
      noted();
      return null;
    });
    const note = (kind: NotedKind, id: string): string =>
      `BEGIN INSERT OR IGNORE INTO estate_noted (kind, local_id) VALUES (${kind}, ${id}); SELECT estate_noted(); END`;
    const rule = `= ${site} AND estate_own() = 1`;
    raw.exec(`
      CREATE TEMP TRIGGER estate_read_new AFTER INSERT ON main.plate_read WHEN NEW.site_id = ${site} AND NEW.plate IS NOT NULL ${note(0, "NEW.id")};
      CREATE TEMP TRIGGER estate_read_edit AFTER UPDATE ON main.plate_read WHEN NEW.site_id = ${site} AND NEW.plate IS NOT NULL ${note(0, "NEW.id")};
      CREATE TEMP TRIGGER estate_closure AFTER INSERT ON main.visit_closure WHEN NEW.site_id = ${site} ${note(1, "NEW.id")};
      CREATE TEMP TRIGGER estate_rule_new AFTER INSERT ON main.plate_rule WHEN NEW.site_id ${rule} AND NEW.device_id IS NULL ${note(2, "NEW.id")};
      CREATE TEMP TRIGGER estate_rule_edit AFTER UPDATE OF plate, formatted, kind, label, valid_from, valid_to, windows, enabled ON main.plate_rule
        WHEN NEW.site_id ${rule} AND NEW.device_id IS NULL ${note(2, "NEW.id")};
      CREATE TEMP TRIGGER estate_rule_gone AFTER DELETE ON main.plate_rule WHEN OLD.site_id ${rule} AND OLD.device_id IS NULL ${note(2, "OLD.id")};
    `);
  }

  /** Like {@link watch}, for entries edited together: `changed` gets the key of each entry that changes in any way. */
  watchEntries(changed: (key: string) => void): void {
    const { raw } = this.database;
    raw.function("estate_entry_changed", (key) => {
      changed(String(key));
      return null;
    });
    for (const [name, event, row] of [
      ["new", "INSERT", "NEW"],
      ["edit", "UPDATE", "NEW"],
      ["gone", "DELETE", "OLD"],
    ])
      raw.exec(
        `CREATE TEMP TRIGGER estate_entry_${name} AFTER ${event} ON main.estate_entry BEGIN SELECT estate_entry_changed(${row}.key); END`,
      );
  }

  /** What changed, at most `limit` of each kind. */
  noted(kind: NotedKind, limit: number): number[] {
    return this.#noted.all(kind, limit).map(({ id }) => id);
  }

  readonly note = this.sql.run<[kind: NotedKind, localId: number]>(
    "INSERT OR IGNORE INTO estate_noted (kind, local_id) VALUES (?, ?)",
  );

  /** Forgets a change: it was taken over, or the estate has it. */
  readonly unnote = this.sql.run<[kind: NotedKind, localId: number]>(
    "DELETE FROM estate_noted WHERE kind = ? AND local_id = ?",
  );

  readonly isNoted = this.sql.any<[kind: NotedKind, localId: number]>(
    "SELECT 1 AS one FROM estate_noted WHERE kind = ? AND local_id = ?",
  );

  readonly countNoted = this.sql.value<[], number>("SELECT count(*) AS count FROM estate_noted", 0);

  /** Rules for all cameras that the estate does not know about. */
  rulesNotShared(siteId: number): number[] {
    return this.#rulesNotShared.all(siteId).map(({ id }) => id);
  }

  /** Notes rules that this hub switched off where no change was recorded: at its start, and by a restore. */
  readonly noteEnded = this.sql.run<[]>(
    `INSERT OR IGNORE INTO estate_noted (kind, local_id) SELECT 2, r.id FROM estate_entry AS e JOIN plate_rule AS r ON r.id = e.rule_id
      WHERE r.enabled = 0 AND r.device_id IS NULL AND json_extract(e.value, '$.enabled') = 1`,
  );

  readonly entry = this.sql.first<[key: string], EstateEntryRow>(`SELECT ${ENTRY} FROM estate_entry WHERE key = ?`);

  readonly entryOfRule = this.sql.first<[ruleId: number], EstateEntryRow>(
    `SELECT ${ENTRY} FROM estate_entry WHERE rule_id = ?`,
  );

  /** Entries whose key begins with `prefix`. */
  entries(prefix: string): EstateEntryRow[] {
    return this.#entries.all(prefix.length, prefix);
  }

  /** Entries in the order of their keys, from `from` up to but not including `before`. */
  readonly entriesIn = this.sql.all<[from: string, before: string], Pick<EstateEntryRow, "key" | "value">>(
    "SELECT key, value FROM estate_entry WHERE key >= ? AND key < ? ORDER BY key",
  );

  putEntry(row: EstateEntryRow): void {
    this.#putEntry.run(row);
    this.#removeState.run(GONE + row.key);
  }

  /** Deletes an entry and keeps the mark that the deletion leaves. */
  removeEntry(key: string, mark: string): void {
    this.#removeEntry.run(key);
    this.#setState.run(GONE + key, mark);
  }

  /** The mark of a deleted entry; null for one that was not deleted. */
  goneEntry(key: string): string | null {
    return this.state(GONE + key);
  }

  /** Forgets marks of entries that were deleted before `before`. */
  purgeGoneEntries(before: number): void {
    this.#purgeGone.run(GONE, GONE_END, before);
  }

  /** Notes that the servers have none of the entries. */
  readonly forgetRevisions = this.sql.run<[]>("UPDATE estate_entry SET revision = 0");

  readonly hubs = this.sql.all<[], EstateHubRow>("SELECT hub, card, heard_at AS heardAt FROM estate_hub ORDER BY hub");

  readonly putHub = this.sql.run<[hub: string, card: string]>(
    "INSERT INTO estate_hub (hub, card) VALUES (?, ?) ON CONFLICT (hub) DO UPDATE SET card = excluded.card",
  );

  readonly removeHub = this.sql.run<[hub: string]>("DELETE FROM estate_hub WHERE hub = ?");

  /** Notes when a hub was last seen; does nothing for an unknown one. */
  heard(hub: string, at: number): void {
    this.#heard.run(at, hub);
  }

  readonly forgotten = this.sql.first<[token: string], EstateForgottenRow>(
    `SELECT ${FORGOTTEN} FROM estate_forgotten WHERE token = ?`,
  );

  readonly putForgotten = this.sql.run<[row: EstateForgottenRow]>(
    "INSERT OR REPLACE INTO estate_forgotten (token, at, told, applied, erased) VALUES (@token, @at, @told, @applied, @erased)",
  );

  /** Marks orders to forget since a moment as unsent. */
  readonly tellAgain = this.sql.run<[since: number]>("UPDATE estate_forgotten SET told = 0 WHERE at >= ?");

  /** Orders to forget that have not been carried out completely. */
  readonly forgetting = this.sql.all<[], EstateForgottenRow>(
    `SELECT ${FORGOTTEN} FROM estate_forgotten WHERE told = 0 OR applied = 0 OR erased = 0 ORDER BY at`,
  );

  /** Deletes orders from before `before`: no hub keeps anything that old. */
  readonly purgeForgotten = this.sql.run<[before: number]>(
    "DELETE FROM estate_forgotten WHERE at < ? AND told = 1 AND applied = 1 AND erased = 1",
  );

  /** Forgets everything about an estate: this hub is in another one now. */
  clear(): void {
    this.database.raw.exec(
      "DELETE FROM estate_read; DELETE FROM estate_visit; DELETE FROM estate_noted; DELETE FROM estate_entry; DELETE FROM estate_hub; DELETE FROM estate_forgotten; DELETE FROM estate_state",
    );
  }

  readonly state = this.sql.value<[key: string], string | null>("SELECT value FROM estate_state WHERE key = ?", null);

  setState(key: string, value: string): void {
    this.#setState.run(key, value);
  }
}

/** The common prefix of states that hold marks of deleted entries, and the first name behind them. */
const GONE = "gone.";
const GONE_END = "gone/";
const ENTRY = "key, revision, value, rule_id AS ruleId";
const FORGOTTEN = "token, at, told, applied, erased";
