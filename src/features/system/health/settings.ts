import type { HealthCheck } from "../../../core/health/health.ts";

/** The state of a `SettingsStore`'s file. */
interface SettingsInUse {
  readonly refused: readonly string[];
  readonly unusable: string | null;
}

/** Whether the hub runs with the settings that were saved last. */
export function settingsCheck(store: SettingsInUse): HealthCheck {
  return {
    code: "settings",
    check: () => {
      if (store.unusable !== null)
        return { level: "degraded", words: { code: "settings.unusable", reason: store.unusable } };
      const names = store.refused.join(", ");
      if (names === "") return { level: "ok", words: { code: "settings.ok" } };
      return { level: "degraded", words: { code: "settings.refused", names } };
    },
  };
}
