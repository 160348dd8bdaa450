import type { Caller } from "../../../core/api/caller.ts";
import type { Base } from "../../../core/base.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import { listAudit, listAuditEvents } from "../api/audit.ts";
import type { Audit, AuditEntry, AuditLine } from "../audit.ts";
import type { AuditWord } from "../audit-page.ts";

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
        audit: audit.list(caller.householdId, query.limit ?? 100, query.before ?? null).map(shown),
      },
    })),
    bind(listAuditEvents, async ({ caller, query }) => {
      const { events, next, searchedTo } = await audit.page(caller.householdId, {
        limit: query.limit ?? 25,
        beforeId: query.before ?? null,
        personId: query.person ?? null,
        from: query.since === undefined ? Number.MIN_SAFE_INTEGER : Date.parse(query.since),
        to: query.until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(query.until),
        words: wordsOf(query.q ?? "", query.named ?? ""),
      });
      return {
        status: 200,
        body: {
          events: events.map(({ line, alike, count }) => ({ line: shown(line), alike: alike.map(shown), count })),
          next,
          searchedTo: searchedTo === null ? null : isoTime(searchedTo),
        },
      };
    }),
  ];
}

function shown({ accountId: _own, at, ...line }: AuditLine) {
  return { ...line, at: isoTime(at) };
}

/** The words of a search, each with what the reader knows by it. */
function wordsOf(q: string, named: string): AuditWord[] {
  const groups = named.split(";");
  return q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word, index) => ({ word, named: new Set((groups[index] ?? "").split(",").filter((one) => one !== "")) }));
}
