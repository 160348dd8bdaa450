import type { HealthCheck } from "../../../core/health/health.ts";
import type { Detail } from "../../../core/text/keys.ts";

/** Whether devices without internet get the time from the hub. A note more than a check: the hub serves without it. */
export function sntpCheck(
  facts: () => { readonly port: number | null; readonly reason: string | Detail | null },
  trust: { state(): string },
): HealthCheck {
  return {
    code: "sntp",
    check: () => {
      const { port, reason } = facts();
      if (port === null) return { level: "ok", words: { code: "sntp.off", reason: reason ?? "" } };
      if (trust.state() === "unknown") return { level: "ok", words: { code: "sntp.unknown", port } };
      return { level: "ok", words: { code: "sntp.ok", port } };
    },
  };
}
