import type { OpeningReason, OpeningResult } from "../../../core/plates/opening.ts";
import { Table } from "../../../core/storage/table.ts";

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
export class OpeningTable extends Table {
  readonly #list = this.sql.statement<
    [{ siteId: number; deviceId: string | null; limit: number }],
    ListedOpening
  >(`SELECT ${COLUMNS}, r.formatted, p.label FROM opening LEFT JOIN plate_read r ON r.id = opening.read_id LEFT JOIN plate_rule p ON p.id = r.rule_id
       WHERE opening.site_id = @siteId AND (@deviceId IS NULL OR opening.device_id = @deviceId) ORDER BY opening.at DESC, opening.id DESC LIMIT @limit`);
  readonly #person = this.sql.statement<[number], { name: string }>(
    "SELECT account.name FROM session JOIN account ON account.id = session.account_id WHERE session.id = ?",
  );
  readonly #account = this.sql.statement<[number], { accountId: number }>(
    "SELECT account_id AS accountId FROM session WHERE id = ?",
  );
  readonly #key = this.sql.statement<[number], { name: string }>("SELECT name FROM api_key WHERE id = ?");
  readonly #fabric = this.sql.statement<[number], { name: string }>(
    "SELECT name || ' (Matter)' AS name FROM matter_fabric WHERE id = ?",
  );
  readonly #automation = this.sql.statement<[number], { name: string | null }>(
    "SELECT shown_name AS name FROM automation WHERE id = ?",
  );
  readonly #scene = this.sql.statement<[number], { name: string }>("SELECT name FROM scene WHERE id = ?");

  /** Stores an opening, or updates the one of its read; returns its id. */
  readonly put = this.sql.value<[row: NewOpening], number>(
    `INSERT INTO opening (site_id, device_id, read_id, by_kind, by_name, result, reason, at, settled_at)
       VALUES (@siteId, @deviceId, @readId, @byKind, @byName, @result, @reason, @at, @settledAt)
       ON CONFLICT (read_id) DO UPDATE SET device_id = excluded.device_id, result = excluded.result, reason = excluded.reason, settled_at = excluded.settled_at
       RETURNING id`,
    0,
  );

  /** Notes the outcome of an opening. */
  readonly settle = this.sql.run<[row: Pick<OpeningRow, "id" | "result" | "reason" | "settledAt">]>(
    "UPDATE opening SET result = @result, reason = @reason, settled_at = @settledAt WHERE id = @id",
  );

  /** The first opening of a gate without a read in a time, that came about. */
  readonly firstOwn = this.sql.first<
    [{ siteId: number; deviceId: string; from: number; to: number }],
    ListedOpening
  >(`SELECT ${COLUMNS}, NULL AS formatted, NULL AS label FROM opening WHERE device_id = @deviceId AND at >= @from AND at <= @to
       AND site_id = @siteId AND read_id IS NULL AND result IN ('opened', 'taken') ORDER BY at, id LIMIT 1`);

  /** Newest first; of one device where it is named. */
  list(siteId: number, deviceId: string | null, limit: number): ListedOpening[] {
    return this.#list.all({ siteId, deviceId, limit });
  }

  /** Whether anything has opened for a plate, as far back as is kept. */
  readonly hasOpenedForPlate = this.sql.any<[siteId: number]>(
    "SELECT 1 FROM opening WHERE site_id = ? AND read_id IS NOT NULL AND result IN ('opened', 'taken') LIMIT 1",
  );

  /** Ends the openings under way when the hub stopped: nobody knows what became of them. Returns how many. */
  readonly endWaiting = this.sql.changes<[at: number]>(
    "UPDATE opening SET result = 'not_opened', reason = 'no_answer', settled_at = ? WHERE result = 'waiting'",
  );

  /** Openings without a read, of all households. Those with one go with it. */
  readonly countOwn = this.sql.value<[], number>("SELECT count(*) AS count FROM opening WHERE read_id IS NULL", 0);

  /** How many openings without a read are from before `before`. */
  readonly countExpired = this.sql.value<[before: number], number>(
    "SELECT count(*) AS count FROM opening WHERE at < ? AND read_id IS NULL",
    0,
  );

  /** Removes up to `most` openings without a read from before `before`, the oldest first; returns how many went. */
  readonly purge = this.sql.changes<[before: number, most: number]>(
    "DELETE FROM opening WHERE id IN (SELECT id FROM opening WHERE at < ? AND read_id IS NULL ORDER BY at LIMIT ?)",
  );

  /** The account of the person behind an actor (`session:3`); null where it is no person. */
  accountOf(actor: string): number | null {
    const [kind, id] = actor.split(":");
    return kind === "session" ? (this.#account.get(Number(id))?.accountId ?? null) : null;
  }

  /** Whether it is a rule whose name only owners are told. */
  isUnnamed(automationId: number): boolean {
    return this.#automation.get(automationId)?.name === null;
  }

  /**
   * The name behind an actor (`session:3`, `api_key:12`, `matter:1`, `automation:4`, `scene:2`); null where there is
   * none.
   */
  nameOf(kind: string, id: number): string | null {
    const statements: Readonly<Record<string, { get(id: number): { name: string | null } | undefined }>> = {
      session: this.#person,
      api_key: this.#key,
      matter: this.#fabric,
      automation: this.#automation,
      scene: this.#scene,
    };
    return statements[kind]?.get(id)?.name ?? null;
  }
}
