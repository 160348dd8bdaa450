import { isoTime } from "../kernel/clock.js";
import type { HealthCheck } from "./health.js";

/** What the check asks of the clock's trust. */
export interface ClockView {
  state(): string;
  /** The machine's time (epoch ms) while the hub keeps its own; null while it follows. */
  refusedMs(): number | null;
}

/** Whether the hub knows what time it is, and whether anybody confirmed it; `clock.isDoubted`: what is deleted by age waits. */
export function clockCheck(trust: ClockView, clock: { readonly isDoubted: boolean }): HealthCheck {
  return {
    code: "clock",
    title: "Clock",
    check: () => {
      const state = trust.state();
      const refused = trust.refusedMs();
      if (refused !== null) {
        const at = isoTime(refused);
        const text = `The box's own clock jumped to ${at}, and the hub keeps its own time. Open the console as an owner, on a device whose clock is right: that settles it.`;
        return { level: "degraded", text, words: { code: "clock.refused", at } };
      }
      if (state === "unknown")
        return {
          level: "degraded",
          text: "The time is not known, so schedules wait. Open the console once, or connect a time source.",
          words: { code: "clock.unknown" },
        };
      if (clock.isDoubted)
        return {
          level: "ok",
          text: "One source says what time it is. Until a second one agrees, such as the console of an owner, nothing is deleted for its age.",
          words: { code: "clock.doubted" },
        };
      const words = { code: `clock.${state}` };
      return { level: "ok", text: state === "trusted" ? "The time is trusted." : "The time was trusted before; no time source answers now.", words };
    },
  };
}
