import type { Json } from "../../../core/api/route.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { AgedKind } from "../../../core/kernel/aged-history.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import { type AgedHistory, allowHistory, getHistory, getHistoryDue } from "../api/console-history.ts";

interface AgedCount {
  readonly kind: AgedKind;
  readonly count: number;
}

/** What these routes ask of whoever deletes for age. */
export interface HistoryService {
  readonly states: () => readonly Json<AgedHistory>[];
  readonly dueAfter: (setting: string, keepDays: number) => Promise<readonly AgedCount[]>;
  readonly allow: (kinds: readonly AgedKind[]) => Promise<readonly AgedCount[]>;
  /** Begins to delete what was allowed; nobody waits for it. */
  readonly begin: () => void;
  readonly note: AuditNote;
}

/** What is kept for how long, and the owner's word for what is too old at once. */
export function historyRoutes({ states, dueAfter, allow, begin, note }: HistoryService): BoundRoute[] {
  return [
    bind(getHistory, () => ({ status: 200, body: { history: states() } })),
    bind(getHistoryDue, async ({ query }) => ({
      status: 200,
      body: { due: await dueAfter(query.setting, query.days) },
    })),
    bind(allowHistory, async ({ caller, body }) => {
      const allowed = await allow(body.kinds);
      for (const { kind, count } of allowed) await note(caller, "history.allowed", kind, { count });
      begin();
      return { status: 200, body: { allowed } };
    }),
  ];
}
