import type { HealthCheck } from "../../core/health/health.ts";
import type { ExportState } from "./export.ts";

/** A server that is briefly away, or restarted, is not worth reporting. */
const SOON_MS = 600_000;

/** Whether long-term series reach their server; `state` is read when asked. */
export function seriesCheck(state: () => ExportState, now: () => number): HealthCheck {
  return {
    code: "series",
    check: () => {
      const { state: word, lastSentAt, oldestWaiting, problem } = state();
      if (word === "off") return { level: "ok", words: { code: "series.off" } };
      if (word === "catchingUp") return { level: "ok", words: { code: "series.catchingUp" } };
      if (word === "waiting" && problem !== null) {
        const behindMs = now() - (oldestWaiting ?? now());
        const n = Math.floor(behindMs / 60_000);
        return { level: behindMs < SOON_MS ? "ok" : "degraded", words: { code: "series.waiting", n, reason: problem } };
      }
      return lastSentAt === null
        ? { level: "ok", words: { code: "series.nothing" } }
        : { level: "ok", words: { code: "series.ok", at: new Date(lastSentAt).toISOString() } };
    },
  };
}
