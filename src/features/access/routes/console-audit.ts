import type { Caller } from "../../../core/api/caller.ts";
import type { Base } from "../../../core/base.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import { listAudit } from "../api/audit.ts";
import type { Audit, AuditEntry } from "../audit.ts";

/** Writes an audit line inside the job of its act, and nowhere else. */
type JobNote = (action: string, target: string, detail?: Readonly<Record<string, unknown>>) => void;

/**
 * Writes an action and its audit line in one job: neither is stored without the other, and an actor whom the line makes
 * an issuer is one from the first moment.
 */
export interface Audited {
  /** Runs what a caller does as one write job; resolves once act and line are on the medium. */
  job<Result>(caller: Caller, job: (note: JobNote) => Result): Promise<Result>;
  /** For an act that opens its job itself. */
  line(caller: Caller): JobNote;
}

/** Makes the {@link Audited} of the console's routes. */
export function auditedJobs({ database, clock }: Base, audit: Audit): Audited {
  const line = (caller: Caller): JobNote => {
    return (action, target, detail) => audit.record(lineOf(caller, action, target, detail, clock.now()));
  };
  return { job: (caller, job) => database.write(() => job(line(caller))), line };
}

/**
 * Writes one audit line for a caller's action outside a write job: on a file, a process, a device. If the action gives
 * somebody a right, the line comes first: an extra line is harmless, a right without an issuer is not.
 */
export type AuditNote = (
  caller: Caller,
  action: string,
  target: string,
  detail?: Readonly<Record<string, unknown>>,
) => Promise<void>;

/**
 * Makes the {@link AuditNote} of the console's routes. No line is written while storage refuses writes: repairing the
 * storage must not depend on it.
 */
export function auditNote({ database, clock }: Base, audit: Audit): AuditNote {
  return async (caller, action, target, detail) =>
    void (await database.writeIfPossible(() => audit.record(lineOf(caller, action, target, detail, clock.now()))));
}

function lineOf(
  { accountId, actor, role }: Caller,
  action: string,
  target: string,
  detail: Readonly<Record<string, unknown>> = {},
  at: number,
): AuditEntry {
  return { accountId, actor, role, action, target, detail, at };
}

/** The list of who did what. */
export function auditRoutes(audit: Audit): BoundRoute[] {
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
