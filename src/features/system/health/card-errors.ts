import type { HealthCheck } from "../../../core/health/health.ts";
import type { CardCondition } from "../../../core/platform/card.ts";

/** Whether the card or the file system on it report errors. */
export function cardErrorsCheck(condition: () => CardCondition | null): HealthCheck {
  return {
    code: "card-errors",
    check: () => {
      const found = condition();
      if (found === null) return { level: "ok", words: { code: "card.unknown" } };
      const { fileSystemErrors, deviceErrors, lifeTenths, spare } = found;
      if ((fileSystemErrors ?? 0) > 0 || (deviceErrors ?? 0) > 20)
        return {
          level: "degraded",
          words: { code: "card.errors", files: fileSystemErrors ?? 0, device: deviceErrors ?? 0 },
        };
      if ((lifeTenths ?? 0) >= 10 || (spare ?? 0) >= 2) return { level: "degraded", words: { code: "card.worn" } };
      if (lifeTenths === null) return { level: "ok", words: { code: "card.ok" } };
      const percent = lifeTenths * 10;
      return { level: "ok", words: { code: "card.used", percent } };
    },
  };
}
