import type { HealthCheck } from "../../core/health/health.ts";
import type { PendingDeliveries } from "./deliveries.ts";

/** A receiver that is briefly away, or restarted, is not worth reporting. */
const SOON_MS = 600_000;

/** Whether deliveries reach their receivers; `pending` is read when asked, the longest waiting first. */
export function webhooksCheck(pending: () => readonly PendingDeliveries[], now: () => number): HealthCheck {
  return {
    code: "webhooks",
    check: () => {
      const late = pending().filter(({ since }) => now() - since >= SOON_MS);
      const [first] = late;
      if (first === undefined) return { level: "ok", words: { code: "webhooks.ok" } };
      const { name, count, since } = first;
      const words = {
        code: "webhooks.pending" as const,
        name,
        n: count,
        at: new Date(since).toISOString(),
        more: late.length - 1,
      };
      return { level: "degraded", words };
    },
  };
}
