import type { HealthCheck } from "./health.js";

/** Whether the hub runs with the settings that were saved last. */
export function settingsCheck(refused: () => readonly string[]): HealthCheck {
  return {
    code: "settings",
    title: "Settings",
    check: () => {
      const names = refused().join(", ");
      if (names === "") return { level: "ok", text: "As they were saved.", words: { code: "settings.ok" } };
      const text = `The hub did not start with what was saved last (${names}), so that was taken back. This goes with the next change of a setting.`;
      return { level: "degraded", text, words: { code: "settings.refused", names } };
    },
  };
}
