import type { Caller } from "../../../core/api/caller.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import type { Database } from "../../../core/storage/database.ts";
import { listAudit } from "../api/audit.ts";
import type { Audit } from "../audit.ts";

/** Writes one audit line for what a caller has just done. */
export type AuditNote = (
  caller: Caller,
  action: string,
  target: string,
  detail?: Readonly<Record<string, unknown>>,
) => Promise<void>;

/**
 * Makes the {@link AuditNote} of the console's routes. Where the storage takes nothing there is no line: what puts that
 * right must not depend on it.
 */
export function auditNote({
  database,
  audit,
  now,
}: {
  readonly database: Database;
  readonly audit: Audit;
  readonly now: () => number;
}): AuditNote {
  return async (caller, action, target, detail = {}) =>
    void (await database.writeIfPossible(() =>
      audit.record({
        accountId: caller.accountId,
        actor: caller.actor,
        role: caller.role,
        action,
        target,
        detail,
        at: now(),
      }),
    ));
}

/** The list of who did what. */
export function auditRoutes(audit: Pick<Audit, "list">): BoundRoute[] {
  return [
    bind(listAudit, ({ caller, query }) => ({
      status: 200,
      body: {
        audit: audit
          .list(caller.householdId, query.limit ?? 100, query.before ?? null)
          .map(({ accountId: _own, at, ...line }) => ({ ...line, at: isoTime(at) })),
      },
    })),
  ];
}
