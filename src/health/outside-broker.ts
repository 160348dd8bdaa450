import type { HealthCheck } from "./health.js";

/** What the check looks at. */
export interface OutsideBrokerFacts {
  readonly connected: boolean;
  /** Epoch ms. */
  readonly since: number;
  readonly reason: string | null;
  readonly waiting: number;
}

/** Whether the hub is connected to the site's broker. */
export function outsideBrokerCheck(facts: () => OutsideBrokerFacts, now: () => number): HealthCheck {
  return {
    code: "outside-broker",
    title: "Outside broker",
    check: () => {
      const { connected, since, reason, waiting } = facts();
      const minutes = Math.floor((now() - since) / 60_000);
      if (connected) return { level: "ok", text: `Connected for ${minutes} minutes.`, words: { code: "outside.ok", n: minutes } };
      const why = reason === null ? "it has not answered yet" : reason;
      return {
        level: "degraded",
        text: `Away for ${minutes} minutes (${why}); ${waiting} messages wait. Its devices are not reached; look at the broker and the settings outsideBroker.*.`,
        words: { code: "outside.away", n: minutes, reason: why },
      };
    },
  };
}
