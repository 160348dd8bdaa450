import type { HealthCheck } from "./health.js";

/** Whether the last rehearsal of a restore went well. Times are epoch milliseconds. */
export function backupRehearsalCheck(last: () => { readonly at: number; readonly ok: 0 | 1; readonly text: string } | null): HealthCheck {
  return {
    code: "backup-rehearsal",
    title: "Restore rehearsal",
    check: () => {
      const rehearsal = last();
      if (rehearsal === null) return { level: "ok", text: "None yet; the first follows within a week of the first backup." };
      if (rehearsal.ok === 0)
        return { level: "degraded", text: `The last backup could not be restored: ${rehearsal.text} Make a new one, and look at the medium.` };
      return { level: "ok", text: rehearsal.text };
    },
  };
}
