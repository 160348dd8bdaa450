import type { HealthCheck } from "./health.js";

/** Whether the hub knows what time it is. */
export function clockCheck(clock: { state(): string }): HealthCheck {
  return {
    code: "clock",
    title: "Clock",
    check: () => {
      const state = clock.state();
      const words = { code: `clock.${state}` };
      if (state === "unknown")
        return { level: "degraded", text: "The time is not known, so schedules wait. Open the console once, or connect a time source.", words };
      return { level: "ok", text: state === "trusted" ? "The time is trusted." : "The time was trusted before; no time source answers now.", words };
    },
  };
}
