import type { HealthCheck } from "../../core/health/health.ts";

/** Whether the hub's key opens the secrets of all webhooks; `unsigned` counts those that it does not. */
export function webhookSecretsCheck(unsigned: () => number): HealthCheck {
  return {
    code: "webhook-secrets",
    check: () => {
      const n = unsigned();
      if (n === 0) return { level: "ok", words: { code: "webhookSecrets.ok" } };
      return { level: "degraded", words: { code: "webhookSecrets.unsigned", n } };
    },
  };
}
