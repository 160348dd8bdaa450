import type { HealthCheck } from "./health.js";

/** Whether plates can be read. */
export function recogniserCheck(recogniser: { state(): { ready: boolean; text: string } }): HealthCheck {
  return {
    code: "recogniser",
    title: "Plate recogniser",
    check: () => {
      const { ready, text } = recogniser.state();
      return { level: ready ? "ok" : "degraded", text };
    },
  };
}
