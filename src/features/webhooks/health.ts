import type { HealthCheck } from "../../core/health/health.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Deliveries } from "./deliveries.ts";

/** A receiver that is briefly away, or restarted, is not worth reporting. */
const SOON_MS = 600_000;

/** Whether deliveries reach their receivers. */
export function webhooksCheck(deliveries: Pick<Deliveries, "pending">, clock: Clock): HealthCheck {
  return {
    code: "webhooks",
    check: () => {
      const late = deliveries.pending().filter(({ since }) => clock.now() - since >= SOON_MS);
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
