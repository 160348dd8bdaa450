import type { HealthCheck } from "../../core/health/health.ts";

/** Whether the MQTT broker serves the devices. */
export function brokerCheck(broker: { listening(): boolean; clientCount(): number }): HealthCheck {
  return {
    code: "broker",
    check: () => {
      if (!broker.listening()) return { level: "failed", words: { code: "broker.failed" } };
      const clients = broker.clientCount();
      return { level: "ok", words: { code: "broker.ok", n: clients } };
    },
  };
}
