import type SqliteDatabase from "better-sqlite3";
import type { OpeningReason, OpeningResult } from "../../../core/plates/opening.ts";
import { tableOf } from "../../../core/storage/table.ts";

/**
 * Who let somebody in: a person, a key's app, a rule, a scene, a plate, or the gate itself (wall button, remote
 * control).
 */
export type OpenerKind = "person" | "key" | "automation" | "scene" | "plate" | "device" | "hub";

/** A row of `opening`. Times are epoch milliseconds. */
export interface OpeningRow {
  readonly id: number;
  readonly siteId: number;
  /** The gate or lock. */
  readonly deviceId: string;
  readonly readId: number | null;
  readonly byKind: OpenerKind;
  readonly byName: string | null;
  readonly result: OpeningResult;
  readonly reason: OpeningReason | null;
  readonly at: number;
  readonly settledAt: number | null;
}

/** A row with the plate that it opened for, and who that is by the rule that decided. */
export type ListedOpening = OpeningRow & { readonly formatted: string | null; readonly label: string | null };

type NewOpening = Omit<OpeningRow, "id">;

const COLUMNS = `opening.id, opening.site_id AS siteId, opening.device_id AS deviceId, opening.read_id AS readId,
  opening.by_kind AS byKind, opening.by_name AS byName, opening.result, opening.reason, opening.at,
  opening.settled_at AS settledAt`;

/** All SQL of the table `opening`. Writing methods belong inside a write job. */
export class OpeningTable extends tableOf(prepare) {
  /** Stores an opening, or updates the one of its read; returns its id. */
  put(row: NewOpening): number {
    return this.sql.put.get(row)?.id ?? 0;
  }

  /** Notes the outcome of an opening. */
  settle(row: Pick<OpeningRow, "id" | "result" | "reason" | "settledAt">): void {
    this.sql.settle.run(row);
  }

  /** Newest first; of one device where it is named. */
  list(siteId: number, deviceId: string | null, limit: number): ListedOpening[] {
    return this.sql.list.all({ siteId, deviceId, limit });
  }

  /** Ends the openings under way when the hub stopped: nobody knows what became of them. Returns how many. */
  endWaiting(at: number): number {
    return this.sql.endWaiting.run(at).changes;
  }

  /** Openings without a read, of all households. Those with one go with it. */
  countOwn(): number {
    return this.sql.countOwn.get()?.count ?? 0;
  }

  /** How many openings without a read are from before `before`. */
  countExpired(before: number): number {
    return this.sql.countExpired.get(before)?.count ?? 0;
  }

  /** Removes up to `most` openings without a read from before `before`, the oldest first; returns how many went. */
  purge(before: number, most: number): number {
    return this.sql.purge.run(before, most).changes;
  }

  /**
   * The name behind an actor (`session:3`, `api_key:12`, `matter:1`, `automation:4`, `scene:2`); null where there is
   * none.
   */
  nameOf(kind: string, id: number): string | null {
    const statements: Readonly<Record<string, SqliteDatabase.Statement<[number], { name: string }>>> = {
      session: this.sql.person,
      api_key: this.sql.key,
      matter: this.sql.fabric,
      automation: this.sql.automation,
      scene: this.sql.scene,
    };
    return statements[kind]?.get(id)?.name ?? null;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    put: raw.prepare<[NewOpening], { id: number }>(
      `INSERT INTO opening (site_id, device_id, read_id, by_kind, by_name, result, reason, at, settled_at)
       VALUES (@siteId, @deviceId, @readId, @byKind, @byName, @result, @reason, @at, @settledAt)
       ON CONFLICT (read_id) DO UPDATE SET device_id = excluded.device_id, result = excluded.result, reason = excluded.reason, settled_at = excluded.settled_at
       RETURNING id`,
    ),
    settle: raw.prepare<[Pick<OpeningRow, "id" | "result" | "reason" | "settledAt">]>(
      "UPDATE opening SET result = @result, reason = @reason, settled_at = @settledAt WHERE id = @id",
    ),
    list: raw.prepare<[{ siteId: number; deviceId: string | null; limit: number }], ListedOpening>(
      `SELECT ${COLUMNS}, r.formatted, p.label FROM opening LEFT JOIN plate_read r ON r.id = opening.read_id LEFT JOIN plate_rule p ON p.id = r.rule_id
       WHERE opening.site_id = @siteId AND (@deviceId IS NULL OR opening.device_id = @deviceId) ORDER BY opening.at DESC, opening.id DESC LIMIT @limit`,
    ),
    endWaiting: raw.prepare<[number]>(
      "UPDATE opening SET result = 'not_opened', reason = 'no_answer', settled_at = ? WHERE result = 'waiting'",
    ),
    countOwn: raw.prepare<[], { count: number }>("SELECT count(*) AS count FROM opening WHERE read_id IS NULL"),
    countExpired: raw.prepare<[number], { count: number }>(
      "SELECT count(*) AS count FROM opening WHERE at < ? AND read_id IS NULL",
    ),
    purge: raw.prepare<[number, number]>(
      "DELETE FROM opening WHERE id IN (SELECT id FROM opening WHERE at < ? AND read_id IS NULL ORDER BY at LIMIT ?)",
    ),
    person: raw.prepare<[number], { name: string }>(
      "SELECT account.name FROM session JOIN account ON account.id = session.account_id WHERE session.id = ?",
    ),
    key: raw.prepare<[number], { name: string }>("SELECT name FROM api_key WHERE id = ?"),
    fabric: raw.prepare<[number], { name: string }>(
      "SELECT name || ' (Matter)' AS name FROM matter_fabric WHERE id = ?",
    ),
    automation: raw.prepare<[number], { name: string }>("SELECT name FROM automation WHERE id = ?"),
    scene: raw.prepare<[number], { name: string }>("SELECT name FROM scene WHERE id = ?"),
  };
}
