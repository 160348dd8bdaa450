import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { AgeLimits } from "../../../core/jobs/age-limits.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import { allowHistory, getHistory, getHistoryDue } from "../api/console-history.ts";

/** Retention, and the owner's override for deleting overdue history at once. */
export function historyRoutes(ages: AgeLimits, audited: Audited, logger: Logger): BoundRoute[] {
  return [
    bind(getHistory, () => ({ status: 200, body: { history: ages.states() } })),
    bind(getHistoryDue, async ({ query }) => ({
      status: 200,
      body: { due: await ages.dueAfter(query.setting, query.days) },
    })),
    bind(allowHistory, async ({ caller, body }) => {
      const note = audited.line(caller);
      const allowed = await ages.allow(body.kinds, ({ kind, count }) => note("history.allowed", kind, { count }));
      void ages
        .sweep()
        .catch((error: unknown) => logger.error({ err: error }, "approved deletions failed; trying again later"));
      return { status: 200, body: { allowed } };
    }),
  ];
}
