import type { HealthCheck } from "../../../core/health/health.ts";
import { endOfLife, isPast } from "../../../core/platform/node-release.ts";

/**
 * Whether the Node.js that runs the hub still gets security updates.
 * @param version such as "24.21.0"
 * @param now milliseconds since 1970
 */
export function runtimeCheck(version: string, now: () => number): HealthCheck {
  return {
    code: "runtime",
    check: () => {
      const end = endOfLife(version);
      if (end === null) return { level: "ok", words: { code: "runtime.new", version } };
      return isPast(end, now())
        ? {
            level: "degraded",
            words: { code: "runtime.past", version, end },
          }
        : { level: "ok", words: { code: "runtime.ok", version, end } };
    },
  };
}
