import type { Base } from "../../core/base.ts";
import type { HubTls } from "../../core/platform/tls.ts";
import type { HubParts } from "../system/parts.ts";
import { Broker } from "./broker.ts";
import { brokerLimits } from "./broker-limits.ts";
import type { NativeHandlers } from "./native-topics.ts";

/** Builds the embedded broker over the devices, the bridge and the outside broker. */
export function buildBroker(
  base: Base,
  hub: Pick<HubParts, "devices" | "bridge" | "outside" | "trust">,
  { tls, handlers }: { readonly tls: HubTls | null; readonly handlers: NativeHandlers },
): Broker {
  const settings = base.settings();
  const { mqtt, http } = settings;
  const { registry, commands } = hub.devices;
  const { clock, logger, database } = base;
  return new Broker({
    host: http.host,
    port: mqtt.plain ? mqtt.port : null,
    tls: tls === null ? null : { port: tls.mqttsPort, ...tls.server },
    topicRoot: mqtt.topicRoot,
    limits: brokerLimits(settings),
    database,
    authenticate: (deviceId, password) => {
      const device = registry.authenticate(deviceId, password);
      return device === null ? null : { deviceId: device.id, siteId: device.siteId, type: device.type };
    },
    isDevice: (username) => registry.find(username)?.hasPassword ?? false,
    bridge: hub.bridge.policy,
    handlers: {
      ...handlers,
      connected: (deviceId) => {
        hub.outside.atHome(deviceId, true);
        handlers.connected(deviceId);
      },
      disconnected: (deviceId, reason) => {
        hub.outside.atHome(deviceId, false);
        handlers.disconnected(deviceId, reason);
      },
    },
    onDelivered: (deviceId, payload) => commands.onDelivered(deviceId, payload),
    clockTrusted: () => hub.trust.state() !== "unknown",
    clock,
    logger: logger.child({ part: "mqtt" }),
  });
}
