import type { HealthCheck } from "../../core/health/health.ts";
import type { Detail } from "../../core/text/keys.ts";

/** The facts this check judges. */
export interface HomeAssistantFacts {
  /** False: it is switched off, and something has yet to be withdrawn. */
  readonly isOn: boolean;
  readonly connected: boolean;
  /** Epoch ms. */
  readonly since: number;
  readonly reason: string | Detail | null;
  /** A topic to which the broker did not let the hub publish; null: none. */
  readonly refused: string | null;
}

/** Whether the household can be seen in Home Assistant; `facts` returns null if it should not be. */
export function homeAssistantCheck(facts: () => HomeAssistantFacts | null, now: () => number): HealthCheck {
  return {
    code: "home-assistant",
    check: () => {
      const seen = facts();
      if (seen === null) return { level: "ok", words: { code: "homeAssistant.off" } };
      const { isOn, connected, since, reason, refused } = seen;
      if (refused !== null) return { level: "degraded", words: { code: "homeAssistant.refused", topic: refused } };
      if (connected) return { level: "ok", words: { code: isOn ? "homeAssistant.ok" : "homeAssistant.takingBack" } };
      const n = Math.floor((now() - since) / 60_000);
      return {
        level: "degraded",
        words: { code: "homeAssistant.away", n, reason: reason ?? { code: "outside.notAnswered" } },
      };
    },
  };
}
