import type { HealthCheck } from "../../core/health/health.ts";
import { isoTime } from "../../core/kernel/clock.ts";
import type { Detail } from "../../core/text/keys.ts";

/** Whether the last rehearsal of a restore went well. Times are epoch milliseconds. */
export function backupRehearsalCheck(
  last: () => { readonly at: number; readonly ok: 0 | 1; readonly why: string | Detail } | null,
): HealthCheck {
  return {
    code: "backup-rehearsal",
    check: () => {
      const rehearsal = last();
      if (rehearsal === null) return { level: "ok", words: { code: "rehearsal.none" } };
      const { at, why } = rehearsal;
      if (rehearsal.ok === 0) return { level: "degraded", words: { code: "rehearsal.failed", why } };
      return { level: "ok", words: { code: "rehearsal.ok", at: isoTime(at) } };
    },
  };
}
