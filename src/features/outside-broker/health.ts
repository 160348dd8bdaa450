import type { HealthCheck } from "../../core/health/health.ts";
import type { Detail } from "../../core/text/keys.ts";

/** The facts this check judges. */
export interface OutsideBrokerFacts {
  readonly connected: boolean;
  /** Epoch ms. */
  readonly since: number;
  readonly reason: string | Detail | null;
  readonly waiting: number;
}

/** Whether the hub is connected to the site's broker. */
export function outsideBrokerCheck(facts: () => OutsideBrokerFacts, now: () => number): HealthCheck {
  return {
    code: "outside-broker",
    check: () => {
      const { connected, since, reason, waiting } = facts();
      const minutes = Math.floor((now() - since) / 60_000);
      if (connected) return { level: "ok", words: { code: "outside.ok", n: minutes } };
      const why = reason ?? ({ code: "outside.notAnswered" } as const);
      return {
        level: "degraded",
        words: { code: "outside.away", n: minutes, reason: why, waiting },
      };
    },
  };
}
