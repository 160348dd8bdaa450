import type { HealthCheck } from "../../core/health/health.ts";

/** The facts this check judges. */
export interface MatterFacts {
  readonly state: "off" | "starting" | "running" | "waiting" | "stopping";
  readonly rssBytes: number | null;
  readonly restarts: number;
  readonly reason: string | null;
  /** Whether its keys came with a backup, and nobody has confirmed that the other host is off. */
  readonly isHeld: boolean;
  /**
   * Whether the host, or the interface that Matter is limited to, has an IPv6 address, without which Matter cannot be
   * reached.
   */
  readonly hasIpv6: boolean;
  /** Why the bridge is not open although the process runs, for example because a port is taken. */
  readonly trouble: string | null;
}

/** Whether the Matter process runs; a note where Matter is switched off. */
export function matterCheck(facts: () => MatterFacts): HealthCheck {
  return {
    code: "matter",
    check: () => {
      const { state, rssBytes, restarts, reason, isHeld, hasIpv6, trouble } = facts();
      if (isHeld) return { level: "degraded", words: { code: "matter.held" } };
      if (state === "off" || state === "stopping") return { level: "ok", words: { code: "matter.off" } };
      // Checked before the end of the process, for which it may be the reason.
      if (!hasIpv6) return { level: "degraded", words: { code: "matter.noIpv6" } };
      if (state === "waiting")
        return { level: "degraded", words: { code: "matter.ended", n: restarts, reason: reason ?? "" } };
      if (state === "starting") return { level: "ok", words: { code: "matter.starting" } };
      if (trouble !== null) return { level: "degraded", words: { code: "matter.trouble", why: trouble } };
      return { level: "ok", words: { code: "matter.ok", megabytes: Math.round((rssBytes ?? 0) / 1_048_576) } };
    },
  };
}
