import type { HealthCheck } from "../../../core/health/health.ts";
import type { AgedKind } from "../../../core/kernel/aged-history.ts";

/** The check's view of the history: kinds with more overdue rows than a day deletes. */
export interface HistoryView {
  readonly kind: AgedKind;
  readonly waiting: number;
  readonly isBehind: boolean;
}

/**
 * Whether history is deleted as it grows old, or more of it is too old than may be deleted: after a long time without
 * power, or because of a wrong date.
 */
export function historyCheck(states: () => readonly HistoryView[]): HealthCheck {
  return {
    code: "history",
    check: () => {
      const behind = states().filter(({ isBehind }) => isBehind);
      if (behind.length === 0) return { level: "ok", words: { code: "history.ok" } };
      const n = behind.reduce((sum, { waiting }) => sum + waiting, 0);
      const kinds = behind.map(({ kind, waiting }) => ({ code: `aged.${kind}` as const, n: waiting }));
      return { level: "degraded", words: { code: "history.waiting", n, kinds } };
    },
  };
}
