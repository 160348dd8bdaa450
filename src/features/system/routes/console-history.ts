import type { Json } from "../../../core/api/route.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { AgedKind } from "../../../core/kernel/aged-history.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import { type AgedHistory, allowHistory, getHistory, getHistoryDue } from "../api/console-history.ts";

interface AgedCount {
  readonly kind: AgedKind;
  readonly count: number;
}

/** Retention, and the owner's override for deleting overdue history at once. */
export function historyRoutes({
  states,
  dueAfter,
  allow,
  begin,
  audited,
}: {
  readonly states: () => readonly Json<AgedHistory>[];
  readonly dueAfter: (setting: string, keepDays: number) => Promise<readonly AgedCount[]>;
  readonly allow: (kinds: readonly AgedKind[], beside: (allowed: AgedCount) => void) => Promise<readonly AgedCount[]>;
  /** Begins to delete what was allowed, in the background. */
  readonly begin: () => void;
  readonly audited: Audited;
}): BoundRoute[] {
  return [
    bind(getHistory, () => ({ status: 200, body: { history: states() } })),
    bind(getHistoryDue, async ({ query }) => ({
      status: 200,
      body: { due: await dueAfter(query.setting, query.days) },
    })),
    bind(allowHistory, async ({ caller, body }) => {
      const note = audited.line(caller);
      const allowed = await allow(body.kinds, ({ kind, count }) => note("history.allowed", kind, { count }));
      begin();
      return { status: 200, body: { allowed } };
    }),
  ];
}
