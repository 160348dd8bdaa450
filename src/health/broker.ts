import type { HealthCheck } from "./health.js";

/** Whether the MQTT broker serves the devices. */
export function brokerCheck(broker: { listening(): boolean; clientCount(): number }): HealthCheck {
  return {
    code: "broker",
    title: "MQTT broker",
    check: () => {
      if (!broker.listening()) return { level: "failed", text: "The broker is not running; devices cannot connect.", words: { code: "broker.failed" } };
      const clients = broker.clientCount();
      return { level: "ok", text: `Serving ${clients} ${clients === 1 ? "client" : "clients"}.`, words: { code: "broker.ok", n: clients } };
    },
  };
}
