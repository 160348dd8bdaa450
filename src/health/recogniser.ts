import type { HealthCheck } from "./health.js";

/** Whether plates can be read. */
export function recogniserCheck(recogniser: { state(): { ready: boolean; text: string } }): HealthCheck {
  return {
    code: "recogniser",
    title: "Plate recogniser",
    check: () => {
      const { ready, text } = recogniser.state();
      // Why it is not ready is in the text alone.
      return { level: ready ? "ok" : "degraded", text, ...(ready ? { words: { code: "recogniser.ok" } } : {}) };
    },
  };
}
