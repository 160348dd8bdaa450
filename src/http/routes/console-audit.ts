import type { Audit, AuditEntry } from "../../access/audit.js";
import type { Caller } from "../../contract/caller.js";
import { listAudit } from "../../contract/routes/console-system.js";
import { isoTime } from "../../kernel/clock.js";
import type { Database } from "../../storage/database.js";
import { type BoundRoute, bind } from "../exchange.js";

/** Writes an audit line inside the job of its act, and nowhere else. */
export type JobNote = (action: string, target: string, detail?: Readonly<Record<string, unknown>>) => void;

/**
 * Writes an act and its audit line in one job: neither stands without the other, and whoever the line makes an issuer is
 * one from the first moment.
 */
export interface Audited {
  /** Runs what a caller does as one write job; resolves once act and line are on the medium. */
  job<Result>(caller: Caller, job: (note: JobNote) => Result): Promise<Result>;
  /** For an act that opens its job itself. */
  line(caller: Caller): JobNote;
}

/** Makes the {@link Audited} of the console's routes. */
export function auditedJobs({ database, audit, now }: AuditParts): Audited {
  const line = (caller: Caller): JobNote => {
    return (action, target, detail) => audit.record(lineOf(caller, action, target, detail, now()));
  };
  return { job: (caller, job) => database.write(() => job(line(caller))), line };
}

/**
 * Writes one audit line for what a caller does that is no write job: a file, a process, a device. Where the act gives
 * somebody a right, the line comes first: a line too many is harmless, a right without an issuer is not.
 */
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
export function auditNote({ database, audit, now }: AuditParts): AuditNote {
  return async (caller, action, target, detail) =>
    void (await database.writeIfPossible(() => audit.record(lineOf(caller, action, target, detail, now()))));
}

interface AuditParts {
  readonly database: Database;
  readonly audit: Audit;
  readonly now: () => number;
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
