import type { HealthCheck } from "../../../core/health/health.ts";

/** Whether the power supply is strong enough. */
export function powerCheck(sags: () => boolean | null): HealthCheck {
  return {
    code: "power",
    check: () => {
      const now = sags();
      if (now === null) return { level: "ok", words: { code: "power.unknown" } };
      return now
        ? {
            level: "degraded",
            words: { code: "power.sags" },
          }
        : { level: "ok", words: { code: "power.ok" } };
    },
  };
}
