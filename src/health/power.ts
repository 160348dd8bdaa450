import type { HealthCheck } from "./health.js";

/** Whether the supply is strong enough. */
export function powerCheck(sags: () => boolean | null): HealthCheck {
  return {
    code: "power",
    title: "Power supply",
    check: () => {
      const now = sags();
      if (now === null) return { level: "ok", text: "This board does not measure it.", words: { code: "power.unknown" } };
      return now
        ? {
            level: "degraded",
            text: "The voltage sags: use the supply and cable that belong to the board. Cards break by this.",
            words: { code: "power.sags" },
          }
        : { level: "ok", text: "Strong enough.", words: { code: "power.ok" } };
    },
  };
}
