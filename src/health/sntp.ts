import type { HealthCheck } from "./health.js";

/** Whether devices without internet get the time from the hub. A note more than a check: the hub serves without it. */
export function sntpCheck(facts: () => { readonly port: number | null; readonly reason: string | null }, trust: { state(): string }): HealthCheck {
  return {
    code: "sntp",
    title: "Time server",
    check: () => {
      const { port, reason } = facts();
      if (port === null) return { level: "ok", text: `Not served: ${reason}.`, words: { code: "sntp.off", reason: reason ?? "" } };
      if (trust.state() === "unknown") return { level: "ok", text: `Port ${port} says that the time is not known.`, words: { code: "sntp.unknown", port } };
      return { level: "ok", text: `Served to the LAN on port ${port}.`, words: { code: "sntp.ok", port } };
    },
  };
}
