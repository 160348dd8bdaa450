import type { HealthCheck } from "./health.js";

/** Whether the hub runs with the settings that were saved last. */
export function settingsCheck(refused: () => readonly string[]): HealthCheck {
  return {
    code: "settings",
    check: () => {
      const names = refused().join(", ");
      if (names === "") return { level: "ok", words: { code: "settings.ok" } };
      return { level: "degraded", words: { code: "settings.refused", names } };
    },
  };
}
