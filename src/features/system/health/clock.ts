import type { HealthCheck } from "../../../core/health/health.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import type { ClockTrustState } from "../../../core/kernel/clock-trust.ts";

/** The check's view of the clock. */
export interface ClockView {
  state(): ClockTrustState;
  /** The machine's time (epoch ms) while the hub keeps its own; null while it follows the machine. */
  refusedMs(): number | null;
}

/**
 * Whether the hub knows what time it is, and whether anybody has confirmed it. `clock.isDoubted`: deletion by age
 * waits.
 */
export function clockCheck(trust: ClockView, clock: { readonly isDoubted: boolean }): HealthCheck {
  return {
    code: "clock",
    check: () => {
      const state = trust.state();
      const refused = trust.refusedMs();
      if (refused !== null) {
        const at = isoTime(refused);
        return { level: "degraded", words: { code: "clock.refused", at } };
      }
      if (state === "unknown")
        return {
          level: "degraded",
          words: { code: "clock.unknown" },
        };
      if (clock.isDoubted)
        return {
          level: "ok",
          words: { code: "clock.doubted" },
        };
      return { level: "ok", words: { code: `clock.${state}` } };
    },
  };
}
