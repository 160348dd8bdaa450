import type { HealthCheck } from "./health.js";

/** Whether the hub's key opens the secrets of all webhooks; `unsigned` counts those that it does not. */
export function webhookSecretsCheck(unsigned: () => number): HealthCheck {
  return {
    code: "webhook-secrets",
    title: "Webhooks",
    check: () => {
      const n = unsigned();
      if (n === 0) return { level: "ok", text: "Each can be signed.", words: { code: "webhookSecrets.ok" } };
      const text = `${n} webhooks are not called: the file hub.key is not the one with which their secrets were sealed. Bring it back from a backup, or give them new secrets.`;
      return { level: "degraded", text, words: { code: "webhookSecrets.unsigned", n } };
    },
  };
}
