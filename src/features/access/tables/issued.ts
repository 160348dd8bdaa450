import type { Role } from "../../../core/api/roles.ts";
import { Table } from "../../../core/storage/table.ts";

/** A row of `issued`: the issuer of a grant that lets somebody do or learn something. */
export interface IssuedRow {
  readonly kind: string;
  /** Id of the row in the kind's own table. */
  readonly id: string;
  /** The account, which may be gone. */
  readonly issuer: number;
  /** The role that the issuer had then, or the least one that may issue it, if that is higher. */
  readonly role: Role;
}

/** A grant that would work now if its issuer were asked about nothing. */
export interface LiveGrantRow {
  readonly kind: string;
  readonly id: string;
  /** The household that it works on; null where it is not one's in particular. */
  readonly siteId: number | null;
  /** What people know it by. */
  readonly name: string;
  /** The role that its issuer had then. */
  readonly role: IssuedRow["role"];
}

const COLUMNS = "kind, id, issuer, role";

/** No account has this id. */
export const NOBODY = 0;

/** Id of a part of a grant that has an issuer of its own. */
export function partId(id: string, part: string): string {
  return `${id} ${part}`;
}

/** The row and the part that a {@link partId} names. */
export function partOf(id: string): { readonly row: number; readonly part: string } {
  const at = id.indexOf(" ");
  return { row: Number(id.slice(0, at)), part: id.slice(at + 1) };
}

const PART = "substr(i.id, instr(i.id, ' ') + 1)";

/**
 * For each kind its rows joined as `issued AS i` that are in force at `@at`. The rule of a guest's pass counts as a
 * part of the pass; a device with a camera's settings is a camera. A camera that the hub polls for pictures needs no
 * password: its source is a separate grant.
 */
const LIVE: readonly (readonly [kind: string, stored: string, siteId: string, name: string, from: string])[] = [
  [
    "invitation",
    "invitation",
    "NULL",
    "g.name",
    "invitation AS g ON g.id = CAST(i.id AS INTEGER) AND g.expires_at > @at",
  ],
  ["owner", "owner", "NULL", "g.name", "account AS g ON g.id = CAST(i.id AS INTEGER) AND g.role = 'owner'"],
  [
    "gatekeeper",
    "gatekeeper",
    "NULL",
    "g.name",
    "account AS g ON g.id = CAST(i.id AS INTEGER) AND g.role = 'gatekeeper'",
  ],
  ["member", "member", "NULL", "g.name", "account AS g ON g.id = CAST(i.id AS INTEGER)"],
  [
    "key_scope",
    "key_scope",
    "g.site_id",
    `g.name || ': ' || ${PART}`,
    `api_key AS g ON g.id = CAST(i.id AS INTEGER) AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > @at)
       AND EXISTS (SELECT 1 FROM json_each(g.scopes) WHERE value = ${PART})`,
  ],
  ["scene", "scene", "g.site_id", "g.name", `scene AS g ON g.id = CAST(i.id AS INTEGER) AND i.issuer <> ${NOBODY}`],
  [
    "webhook_event",
    "webhook_event",
    "g.site_id",
    `CASE g.label WHEN '' THEN g.url ELSE g.label END || ': ' || ${PART}`,
    `webhook AS g ON g.id = CAST(i.id AS INTEGER) AND g.active = 1
       AND EXISTS (SELECT 1 FROM json_each(g.events) WHERE value = ${PART})`,
  ],
  [
    "api_key",
    "api_key",
    "g.site_id",
    "g.name",
    "api_key AS g ON g.id = CAST(i.id AS INTEGER) AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > @at)",
  ],
  [
    "guest_pass",
    "guest_pass",
    "g.site_id",
    "g.label",
    "guest_pass AS g ON g.id = CAST(i.id AS INTEGER) AND g.valid_to > @at",
  ],
  [
    "plate_rule",
    "plate_rule",
    "g.site_id",
    "trim(g.formatted || ' ' || g.label)",
    `plate_rule AS g ON g.id = CAST(i.id AS INTEGER) AND g.kind = 'allow' AND g.enabled = 1
       AND NOT EXISTS (SELECT 1 FROM guest_pass WHERE rule_id = g.id)`,
  ],
  [
    "automation",
    "automation",
    "g.site_id",
    "g.name",
    "automation AS g ON g.id = CAST(i.id AS INTEGER) AND g.enabled = 1",
  ],
  [
    "bridge_client",
    "bridge_client",
    "NULL",
    "g.name",
    "bridge_client AS g ON g.id = CAST(i.id AS INTEGER) AND g.status = 'accepted'",
  ],
  [
    "camera",
    "device",
    "g.site_id",
    "g.name",
    "device AS g ON g.id = i.id AND g.password_hash IS NOT NULL AND EXISTS (SELECT 1 FROM camera WHERE device_id = g.id)",
  ],
  [
    "camera_source",
    "camera_source",
    "g.site_id",
    "g.name",
    `device AS g ON g.id = i.id AND EXISTS (
       SELECT 1 FROM camera WHERE device_id = g.id AND enabled = 1 AND json_extract(source, '$.kind') <> 'native')`,
  ],
  [
    "device",
    "device",
    "g.site_id",
    "g.name",
    "device AS g ON g.id = i.id AND g.password_hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM camera WHERE device_id = g.id)",
  ],
  [
    "matter_home",
    "matter_home",
    "NULL",
    "g.name",
    "matter_fabric AS g ON g.id = CAST(i.id AS INTEGER) AND g.left_at IS NULL",
  ],
  [
    "webhook",
    "webhook",
    "g.site_id",
    "CASE g.label WHEN '' THEN g.url ELSE g.label END",
    "webhook AS g ON g.id = CAST(i.id AS INTEGER) AND g.active = 1",
  ],
  [
    "notification_channel",
    "notification_channel",
    "NULL",
    "g.channel",
    "notification_channel AS g ON g.channel = i.id AND g.enabled = 1",
  ],
];

/** Plate rules that are in force, among some. */
const LIVE_RULES = LIVE.filter(([kind]) => kind === "plate_rule").map(
  ([, stored, , , from]) =>
    `SELECT i.id AS id FROM issued AS i JOIN ${from}
      WHERE i.issuer = @issuer AND i.kind = '${stored}' AND i.id IN (SELECT value FROM json_each(@ids))`,
);

const LIVE_OF = LIVE.map(
  ([kind, stored, siteId, name, from]) =>
    `SELECT '${kind}' AS kind, i.id AS id, ${siteId} AS siteId, ${name} AS name, i.role AS role
       FROM issued AS i JOIN ${from} WHERE i.issuer = @issuer AND i.kind = '${stored}'`,
).join(" UNION ALL ");

/** The table of each stored kind, and its id there as text. */
const HOMES: readonly (readonly [stored: string, table: string])[] = [
  ["owner", "account"],
  ["gatekeeper", "account"],
  ["member", "account"],
  ["key_scope", "api_key"],
  ["scene", "scene"],
  ["webhook_event", "webhook"],
  ["invitation", "invitation"],
  ["api_key", "api_key"],
  ["guest_pass", "guest_pass"],
  ["plate_rule", "plate_rule"],
  ["automation", "automation"],
  ["bridge_client", "bridge_client"],
  ["device", "device"],
  ["camera_source", "device"],
  ["matter_home", "matter_fabric"],
  ["webhook", "webhook"],
];

/** For a part, the row that it is a part of; no other id has a space. */
const ROW = "CASE instr(issued.id, ' ') WHEN 0 THEN issued.id ELSE substr(issued.id, 1, instr(issued.id, ' ') - 1) END";

const GONE = HOMES.map(
  ([stored, table]) =>
    `(kind = '${stored}' AND NOT EXISTS (SELECT 1 FROM ${table} AS g WHERE CAST(g.id AS TEXT) = ${ROW}))`,
).join(" OR ");

/** The author of an action that issues a grant. */
export interface IssuingRow {
  readonly kind: string;
  readonly id: string;
  /** `session:3`, `api_key:12`, `guest_pass:4`, `cli` … */
  readonly actor: string;
  readonly personId: number | null;
  /** The role that the person had when they asked for it; null: the one that the account has. */
  readonly role: Role | null;
  /** The least role that may issue this kind. */
  readonly least: Role;
}

/** All SQL of the table `issued`. Writing methods belong inside a write job. */
export class IssuedTable extends Table {
  readonly #find = this.sql.statement<[string, string], IssuedRow>(
    `SELECT ${COLUMNS} FROM issued WHERE kind = ? AND id = ?`,
  );
  readonly #forgetSame = this.sql.statement<[{ kind: string; id: string; whole: string; wholeId: string }]>(
    "DELETE FROM issued WHERE kind = @kind AND id = @id AND issuer = (SELECT issuer FROM issued WHERE kind = @whole AND id = @wholeId)",
  );
  readonly #liveOf = this.sql.statement<[{ issuer: number; at: number }], LiveGrantRow>(
    `SELECT kind, id, siteId, name, role FROM (${LIVE_OF}) ORDER BY kind, name, id`,
  );
  readonly #liveRules = this.sql.statement<[{ issuer: number; ids: string }], { id: string }>(LIVE_RULES.join());
  readonly #fallenIssuers = this.sql.statement<[{ at: number }], { issuer: number }>(
    `SELECT DISTINCT issuer FROM issued WHERE ${FALLEN}`,
  );
  readonly #put = this.sql.statement<[IssuingRow]>(`INSERT INTO issued (kind, id, issuer, role)
       SELECT @kind, @id, issuer,
         CASE WHEN 'owner' IN (@least, had) THEN 'owner' WHEN 'gatekeeper' IN (@least, had) THEN 'gatekeeper' ELSE 'member' END
         FROM (SELECT issuer, coalesce(@role, (SELECT role FROM account WHERE id = issuer), 'owner') AS had
                 FROM (SELECT coalesce(${BEHIND}, CASE WHEN @actor GLOB 'session:*' THEN ${NOBODY} END) AS issuer))
        WHERE issuer IS NOT NULL`);
  readonly #personBehind = this.sql.statement<[Pick<IssuingRow, "actor" | "personId">], { id: number | null }>(
    `SELECT ${BEHIND} AS id`,
  );
  readonly #handOn = this.sql.statement<[number, number, string, string]>(
    "UPDATE issued SET issuer = ?, role = coalesce((SELECT role FROM account WHERE id = ?), role) WHERE kind = ? AND id = ?",
  );
  readonly #handOnInvitation = this.sql.statement<[number, string]>(
    "UPDATE invitation SET generation = (SELECT generation FROM account WHERE id = ?) WHERE id = CAST(? AS INTEGER)",
  );
  readonly #forget = this.sql.statement<[string, string]>("DELETE FROM issued WHERE kind = ? AND id = ?");
  readonly #inherit = this.sql.statement<[string, string, string, string]>(
    "INSERT OR REPLACE INTO issued (kind, id, issuer, role) SELECT ?, ?, issuer, role FROM issued WHERE kind = ? AND id = ?",
  );

  /** The issuer; undefined: the household. */
  find(kind: string, id: string): IssuedRow | undefined {
    return this.#find.get(kind, id);
  }

  readonly #fallenIssuer = this.sql.statement<[{ kind: string; id: string; at: number }], { issuer: number }>(
    `SELECT issuer FROM issued WHERE kind = @kind AND id = @id AND ${FALLEN}`,
  );

  /**
   * Whether its issuer still exists, has not ended by `at` (epoch milliseconds that have certainly come) and has the role
   * that it was issued with, or a higher one; true for the household's.
   */
  stands(kind: string, id: string, at: number): boolean {
    return this.fallenIssuer(kind, id, at) === null;
  }

  /** Its issuer, if that person was removed, has ended by `at` or has lost the role that it was issued with; else null. */
  fallenIssuer(kind: string, id: string, at: number): number | null {
    return this.#fallenIssuer.get({ kind, id, at })?.issuer ?? null;
  }

  /**
   * Grants that an account issued and that are in force at `at` (epoch milliseconds), whether or not the account is
   * valid.
   */
  liveOf(issuer: number, at: number): LiveGrantRow[] {
    return this.#liveOf.all({ issuer, at });
  }

  /** Of plate rules with these ids, those that are in force and that an account issued. */
  liveRules(issuer: number, ids: readonly string[]): ReadonlySet<string> {
    return new Set(this.#liveRules.all({ issuer, ids: JSON.stringify(ids) }).map(({ id }) => id));
  }

  /** Issuers that were removed, have ended by `at` or have lost the role that one of their grants was issued with. */
  fallenIssuers(at: number): number[] {
    return this.#fallenIssuers.all({ at }).map(({ issuer }) => issuer);
  }

  /**
   * Notes the issuer: the person of a session, the issuer of the acting key or guest's pass, else the household.
   * `personId` stands for a session without a row. A grant made by a session or such a key is never the household's: if
   * no person is left behind it, the issuer is an account that does not exist. It is issued with at least the role that
   * this kind takes, so an actor who has a lesser one by now has lost that right.
   */
  put(row: IssuingRow): void {
    this.#forget.run(row.kind, row.id);
    this.#put.run(row);
  }

  /** Notes who added a part to a grant. If that is the issuer of the whole, the part has no separate issuer. */
  widen(row: IssuingRow & { readonly whole: string; readonly wholeId: string }): void {
    this.put(row);
    this.#forgetSame.run(row);
  }

  /** The person who answers for `actor`; null: the household. */
  personBehind(actor: string, personId: number | null): number | null {
    return this.#personBehind.get({ actor, personId })?.id ?? null;
  }

  /** Notes an issuer who is not the actor. */
  readonly give = this.sql.run<[row: IssuedRow]>(
    "INSERT OR REPLACE INTO issued (kind, id, issuer, role) VALUES (@kind, @id, @issuer, @role)",
  );

  /** Hands one on to another issuer. */
  handOn(kind: string, id: string, issuer: number): void {
    this.#handOn.run(issuer, issuer, kind, id);
    // it ends with the password of the person who answers for it
    if (kind === "invitation") this.#handOnInvitation.run(issuer, id);
  }

  /** Takes several of a kind from their issuer: nobody answers for them. */
  readonly disownAll = this.sql.run<[kind: string, ids: string]>(
    `UPDATE issued SET issuer = ${NOBODY} WHERE kind = ? AND id IN (SELECT value FROM json_each(?))`,
  );

  /** From now on it is the household's, or no longer exists. */
  forget(kind: string, id: string): void {
    this.#forget.run(kind, id);
  }

  /** Deletes issuers of grants that no longer exist; returns how many rows were deleted. */
  readonly forgetGone = this.sql.changes<[]>(`DELETE FROM issued WHERE ${GONE}`);

  /** Records that `from` let `id` in: it has the same issuer. */
  inherit(kind: string, id: string, from: { readonly kind: string; readonly id: string }): void {
    this.#forget.run(kind, id);
    this.#inherit.run(kind, id, from.kind, from.id);
  }
}

const FALLEN = `NOT EXISTS (SELECT 1 FROM account WHERE account.id = issued.issuer
  AND account.ended_at IS NULL AND (account.ends_at IS NULL OR account.ends_at > @at) AND (account.role = 'owner' OR issued.role IN ('member', account.role)))`;

/** The account that answers for `@actor`. */
export const BEHIND = `CASE
  WHEN @actor GLOB 'session:*' THEN coalesce((SELECT account_id FROM session WHERE id = CAST(substr(@actor, 9) AS INTEGER)), @personId)
  WHEN @actor GLOB 'api_key:*' THEN (SELECT issuer FROM issued WHERE kind = 'api_key' AND id = substr(@actor, 9))
  WHEN @actor GLOB 'guest_pass:*' THEN (SELECT issuer FROM issued WHERE kind = 'guest_pass' AND id = substr(@actor, 12)) END`;
