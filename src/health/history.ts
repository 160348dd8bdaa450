import type { HealthCheck } from "./health.js";

/** What the check looks at: kinds of history of which more is too old than goes in a day. */
export interface HistoryView {
  readonly kind: string;
  readonly waiting: number;
  readonly isBehind: boolean;
}

/** Whether the history goes as it grows old, or more of it is too old than may go: after a long time without power, or by a wrong date. */
export function historyCheck(states: () => readonly HistoryView[]): HealthCheck {
  return {
    code: "history",
    title: "History",
    check: () => {
      const behind = states().filter(({ isBehind }) => isBehind);
      if (behind.length === 0) return { level: "ok", text: "Nothing waits to be deleted for its age.", words: { code: "history.ok" } };
      const n = behind.reduce((sum, { waiting }) => sum + waiting, 0);
      const kinds = behind.map(({ kind, waiting }) => `${kind} ${waiting}`).join(", ");
      const text = `More of the history is too old than goes in a day; ${n} entries wait (${kinds}). A share goes each day. Look whether the date is right; then an owner may let them go at once, under System.`;
      return { level: "degraded", text, words: { code: "history.waiting", n } };
    },
  };
}
