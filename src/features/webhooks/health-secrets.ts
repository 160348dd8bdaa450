import type { HealthCheck } from "../../core/health/health.ts";
import type { WebhookRegistry } from "./registry.ts";

/** Whether the hub's key opens the secrets of all webhooks. */
export function webhookSecretsCheck(registry: Pick<WebhookRegistry, "unsigned">): HealthCheck {
  return {
    code: "webhook-secrets",
    check: () => {
      const n = registry.unsigned();
      if (n === 0) return { level: "ok", words: { code: "webhookSecrets.ok" } };
      return { level: "degraded", words: { code: "webhookSecrets.unsigned", n } };
    },
  };
}
