import type { Role } from "../../core/api/roles.ts";
import type { AgedHistory } from "../../core/kernel/aged-history.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Database } from "../../core/storage/database.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import { type AuditPage, type AuditWord, auditPage } from "./audit-page.ts";
import { ISSUING_ACTIONS, leastRoleFor, WIDENING_ACTIONS } from "./grant-kinds.ts";
import { type AuditRow, AuditTable } from "./tables/audit.ts";
import { IssuedTable, partId } from "./tables/issued.ts";

/** One recorded action. */
export interface AuditEntry {
  /** Null: the host itself (command line). */
  readonly accountId: number | null;
  /** `session:3`, `api_key:12`, `cli` or `hub`. */
  readonly actor: string;
  /** The actor's role at the time of the request; absent where only the account determines it. */
  readonly role?: Role;
  /** Who is signed in; by default the account of a session. Null: only the session's row knows, if it still exists. */
  readonly personId?: number | null;
  /** Object and verb: `key.created`, `password.changed`. */
  readonly action: string;
  /** Its target, in words a person knows. */
  readonly target: string;
  /** Further facts, never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An entry as read back. */
export interface AuditLine extends Required<Omit<AuditEntry, "role">> {
  readonly id: number;
  /** Name of the signed-in person, or of the key; null for the command line and the hub. */
  readonly person: string | null;
  /** Their account, or that of the key's issuer; null for the command line and the hub. */
  readonly personId: number | null;
}

/** The requested page of the list. */
export interface AuditQuery {
  readonly limit: number;
  readonly beforeId: number | null;
  /** Only what the person of this account did, or a key that they issued; null: everybody. */
  readonly personId: number | null;
  /** Epoch milliseconds, inclusive. */
  readonly from: number;
  /** Epoch milliseconds, exclusive. */
  readonly to: number;
  readonly words: readonly AuditWord[];
}

const DAY_MS = 86_400_000;

/**
 * The audit list. Entries are written in the same job as the change they record. An actor recorded for an action that
 * lets others do or learn something is its issuer from then on ({@link ISSUING_ACTIONS}). If the actor is removed or
 * demoted before the line is written, what they made ends in the job of the line.
 */
export class Audit {
  readonly #table: AuditTable;
  readonly #issued: IssuedTable;
  readonly #database: Database;
  /** Inside a write job, ends what the issuer of a grant issued without being entitled to. */
  #grants: { endIfFallen(kind: string, id: string): void } | null = null;

  constructor(database: Database) {
    this.#database = database;
    this.#table = new AuditTable(database);
    this.#issued = new IssuedTable(database);
  }

  /** Registers the grants, which write to this list themselves. */
  endsBy(grants: { endIfFallen(kind: string, id: string): void }): void {
    this.#grants = grants;
  }

  /** Writes one entry; inside the write job of the change it records. */
  record(entry: AuditEntry): void {
    if (!this.#database.isInJob) throw new Error(`the audit line ${entry.action} is outside a write job`);
    const { accountId, actor, role = null, action, target, detail = {}, at } = entry;
    const { personId = actor.startsWith("session:") ? accountId : null } = entry;
    this.#table.insert({ accountId, actor, personId, action, target, detail: JSON.stringify(detail), at });
    const by = { actor, personId, role };
    const issues = ISSUING_ACTIONS[action];
    if (issues !== undefined && (issues.where === undefined || detail[issues.where] === true)) {
      const row = { kind: issues.kind, id: issues.id === "target" ? target : String(detail.id) };
      this.#issued.put({ ...row, ...by, least: leastRoleFor(row.kind) });
      this.#grants?.endIfFallen(row.kind, row.id);
    }
    const widens = WIDENING_ACTIONS[action];
    if (widens === undefined || !Array.isArray(detail.widened)) return;
    for (const part of detail.widened) {
      const row = { kind: widens.part, id: partId(String(detail.id), String(part)) };
      this.#issued.widen({
        ...row,
        ...by,
        least: leastRoleFor(row.kind),
        whole: widens.whole,
        wholeId: String(detail.id),
      });
      this.#grants?.endIfFallen(row.kind, row.id);
    }
  }

  /** Entries of an account and of the host, newest first; `beforeId` pages on. */
  list(accountId: number, limit: number, beforeId: number | null = null): AuditLine[] {
    return this.#table.list(accountId, beforeId ?? Number.MAX_SAFE_INTEGER, limit).map(toLine);
  }

  /** A page of the same as people read it, narrowed to a person, a time and words. */
  page(accountId: number, { limit, beforeId, personId, from, to, words }: AuditQuery): Promise<AuditPage<AuditLine>> {
    return auditPage({ limit, beforeId: beforeId ?? Number.MAX_SAFE_INTEGER, words }, (before, many) =>
      this.#table.narrowed(accountId, { beforeId: before, personId, from, to, limit: many }).map(toLine),
    );
  }

  /** Lines older than `keepDays` days before the time that has certainly passed. */
  aged(keepDays: () => number, clock: Clock): AgedHistory {
    const before = (days: number): number => clock.certain() - days * DAY_MS;
    return {
      kind: "audit",
      setting: "access.auditDays",
      keepDays,
      held: () => this.#table.countBefore(Number.MAX_SAFE_INTEGER),
      due: (days) => this.#table.countBefore(before(days)),
      remove: (most) => this.#database.write(() => this.#table.purge(before(keepDays()), most)),
    };
  }
}

function toLine({ detail, ...row }: AuditRow): AuditLine {
  return { ...row, detail: storedJson<Record<string, unknown>>(detail, {}) };
}
