import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `estate_entry`: what is edited together, as this hub last heard it. */
export interface EstateEntryRow {
  readonly key: string;
  readonly revision: number;
  /** JSON. */
  readonly value: string;
  /** `plate_rule` of this hub; null for what is no rule. */
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
export class EstateTable extends tableOf(prepare) {
  /**
   * Has the connection's own triggers note every change of a household's reads, closures and plate rules, whichever
   * part makes it. They are stored in no file and end with the connection.
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

  /** Like {@link watch}, for what is edited together: `changed` gets the key of each entry that changes in any way. */
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
    return this.sql.noted.all(kind, limit).map(({ id }) => id);
  }

  note(kind: NotedKind, localId: number): void {
    this.sql.note.run(kind, localId);
  }

  /** Forgets a change: it was taken over, or the estate has it. */
  unnote(kind: NotedKind, localId: number): void {
    this.sql.unnote.run(kind, localId);
  }

  isNoted(kind: NotedKind, localId: number): boolean {
    return this.sql.isNoted.get(kind, localId) !== undefined;
  }

  countNoted(): number {
    return this.sql.countNoted.get()?.count ?? 0;
  }

  /** Rules for all cameras that the estate does not know about. */
  rulesNotShared(siteId: number): number[] {
    return this.sql.rulesNotShared.all(siteId).map(({ id }) => id);
  }

  entry(key: string): EstateEntryRow | null {
    return this.sql.entry.get(key) ?? null;
  }

  entryOfRule(ruleId: number): EstateEntryRow | null {
    return this.sql.entryOfRule.get(ruleId) ?? null;
  }

  /** Entries whose key begins with `prefix`. */
  entries(prefix: string): EstateEntryRow[] {
    return this.sql.entries.all(prefix.length, prefix);
  }

  /** Entries in the order of their keys, from `from` up to but not including `before`. */
  entriesIn(from: string, before: string): Pick<EstateEntryRow, "key" | "value">[] {
    return this.sql.entriesIn.all(from, before);
  }

  putEntry(row: EstateEntryRow): void {
    this.sql.putEntry.run(row);
    this.sql.removeState.run(GONE + row.key);
  }

  /** Deletes an entry and keeps the mark that the deletion leaves. */
  removeEntry(key: string, mark: string): void {
    this.sql.removeEntry.run(key);
    this.sql.setState.run(GONE + key, mark);
  }

  /** The mark of a deleted entry; null for one that was not deleted. */
  goneEntry(key: string): string | null {
    return this.state(GONE + key);
  }

  /** Forgets marks of entries that were deleted before `before`. */
  purgeGoneEntries(before: number): void {
    this.sql.purgeGone.run(GONE, GONE_END, before);
  }

  /** Notes that the servers have none of the entries. */
  forgetRevisions(): void {
    this.sql.forgetRevisions.run();
  }

  hubs(): EstateHubRow[] {
    return this.sql.hubs.all();
  }

  putHub(hub: string, card: string): void {
    this.sql.putHub.run(hub, card);
  }

  removeHub(hub: string): void {
    this.sql.removeHub.run(hub);
  }

  /** Notes that a hub was heard; does nothing for an unknown one. */
  heard(hub: string, at: number): void {
    this.sql.heard.run(at, hub);
  }

  forgotten(token: string): EstateForgottenRow | null {
    return this.sql.forgotten.get(token) ?? null;
  }

  putForgotten(row: EstateForgottenRow): void {
    this.sql.putForgotten.run(row);
  }

  /** Has orders to forget from since a moment sent to the others once more. */
  tellAgain(since: number): void {
    this.sql.tellAgain.run(since);
  }

  /** Orders to forget that have not been carried out completely. */
  forgetting(): EstateForgottenRow[] {
    return this.sql.forgetting.all();
  }

  /** Deletes orders from before `before`: nobody keeps anything that old. */
  purgeForgotten(before: number): void {
    this.sql.purgeForgotten.run(before);
  }

  /** Forgets everything about an estate: this hub is in another one now. */
  clear(): void {
    this.database.raw.exec(
      "DELETE FROM estate_read; DELETE FROM estate_visit; DELETE FROM estate_noted; DELETE FROM estate_entry; DELETE FROM estate_hub; DELETE FROM estate_forgotten; DELETE FROM estate_state",
    );
  }

  state(key: string): string | null {
    return this.sql.state.get(key)?.value ?? null;
  }

  setState(key: string, value: string): void {
    this.sql.setState.run(key, value);
  }
}

/** Where the names of states that hold marks of deleted entries begin, and the first name behind them. */
const GONE = "gone.";
const GONE_END = "gone/";
const ENTRY = "key, revision, value, rule_id AS ruleId";
const FORGOTTEN = "token, at, told, applied, erased";

function prepare(raw: SqliteDatabase.Database) {
  return {
    noted: raw.prepare<[number, number], { id: number }>(
      "SELECT local_id AS id FROM estate_noted WHERE kind = ? ORDER BY local_id LIMIT ?",
    ),
    isNoted: raw.prepare<[number, number], { one: number }>(
      "SELECT 1 AS one FROM estate_noted WHERE kind = ? AND local_id = ?",
    ),
    note: raw.prepare<[number, number]>("INSERT OR IGNORE INTO estate_noted (kind, local_id) VALUES (?, ?)"),
    unnote: raw.prepare<[number, number]>("DELETE FROM estate_noted WHERE kind = ? AND local_id = ?"),
    countNoted: raw.prepare<[], { count: number }>("SELECT count(*) AS count FROM estate_noted"),
    rulesNotShared: raw.prepare<[number], { id: number }>(
      "SELECT id FROM plate_rule r WHERE site_id = ? AND device_id IS NULL AND NOT EXISTS (SELECT 1 FROM estate_entry e WHERE e.rule_id = r.id) ORDER BY id",
    ),
    entry: raw.prepare<[string], EstateEntryRow>(`SELECT ${ENTRY} FROM estate_entry WHERE key = ?`),
    entryOfRule: raw.prepare<[number], EstateEntryRow>(`SELECT ${ENTRY} FROM estate_entry WHERE rule_id = ?`),
    entries: raw.prepare<[number, string], EstateEntryRow>(
      `SELECT ${ENTRY} FROM estate_entry WHERE substr(key, 1, ?) = ? ORDER BY key`,
    ),
    entriesIn: raw.prepare<[string, string], Pick<EstateEntryRow, "key" | "value">>(
      "SELECT key, value FROM estate_entry WHERE key >= ? AND key < ? ORDER BY key",
    ),
    putEntry: raw.prepare<[EstateEntryRow]>(
      `INSERT INTO estate_entry (key, revision, value, rule_id) VALUES (@key, @revision, @value, @ruleId)
       ON CONFLICT (key) DO UPDATE SET revision = @revision, value = @value, rule_id = @ruleId`,
    ),
    removeEntry: raw.prepare<[string]>("DELETE FROM estate_entry WHERE key = ?"),
    forgetRevisions: raw.prepare<[]>("UPDATE estate_entry SET revision = 0"),
    purgeGone: raw.prepare<[string, string, number]>(
      "DELETE FROM estate_state WHERE key >= ? AND key < ? AND coalesce(json_extract(value, '$.at'), 0) < ?",
    ),
    hubs: raw.prepare<[], EstateHubRow>("SELECT hub, card, heard_at AS heardAt FROM estate_hub ORDER BY hub"),
    putHub: raw.prepare<[string, string]>(
      "INSERT INTO estate_hub (hub, card) VALUES (?, ?) ON CONFLICT (hub) DO UPDATE SET card = excluded.card",
    ),
    removeHub: raw.prepare<[string]>("DELETE FROM estate_hub WHERE hub = ?"),
    heard: raw.prepare<[number, string]>("UPDATE estate_hub SET heard_at = ? WHERE hub = ?"),
    forgotten: raw.prepare<[string], EstateForgottenRow>(`SELECT ${FORGOTTEN} FROM estate_forgotten WHERE token = ?`),
    putForgotten: raw.prepare<[EstateForgottenRow]>(
      "INSERT OR REPLACE INTO estate_forgotten (token, at, told, applied, erased) VALUES (@token, @at, @told, @applied, @erased)",
    ),
    forgetting: raw.prepare<[], EstateForgottenRow>(
      `SELECT ${FORGOTTEN} FROM estate_forgotten WHERE told = 0 OR applied = 0 OR erased = 0 ORDER BY at`,
    ),
    tellAgain: raw.prepare<[number]>("UPDATE estate_forgotten SET told = 0 WHERE at >= ?"),
    purgeForgotten: raw.prepare<[number]>(
      "DELETE FROM estate_forgotten WHERE at < ? AND told = 1 AND applied = 1 AND erased = 1",
    ),
    state: raw.prepare<[string], { value: string }>("SELECT value FROM estate_state WHERE key = ?"),
    removeState: raw.prepare<[string]>("DELETE FROM estate_state WHERE key = ?"),
    setState: raw.prepare<[string, string]>(
      "INSERT INTO estate_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
  };
}
