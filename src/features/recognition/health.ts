import type { HealthCheck } from "../../core/health/health.ts";
import type { Detail } from "../../core/text/keys.ts";

/** Whether plates can be read. */
export function recogniserCheck(recogniser: {
  state(): { readonly ready: boolean; readonly words: Detail };
}): HealthCheck {
  return {
    code: "recogniser",
    check: () => {
      const { ready, words } = recogniser.state();
      return ready
        ? { level: "ok", words: { code: "recogniser.ok" } }
        : { level: "degraded", words: { code: "recogniser.notReady", why: words } };
    },
  };
}
