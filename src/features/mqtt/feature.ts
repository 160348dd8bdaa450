/**
 * The embedded broker in the hub: which credentials it knows, and where messages of the hub's own devices go. The
 * engine is in core/mqtt.
 */
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { Broker } from "../../core/mqtt/broker.ts";
import type { TlsMaterial } from "../../core/mqtt/listeners.ts";
import type { NativeHandlers } from "../../core/mqtt/native-topics.ts";
import type { HubTls } from "../../core/platform/tls.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { BridgeFeature } from "../bridge/feature.ts";
import { brokerLimits } from "./broker-limits.ts";
import { brokerCheck } from "./health.ts";
import { type NativeParts, nativeHandlers } from "./native-handlers.ts";
import { explorerRoutes } from "./routes/console-mqtt.ts";

/** The features that the broker works with. */
interface Siblings extends NativeParts {
  readonly access: AccessFeature;
  readonly bridge: BridgeFeature;
}

/** The embedded broker, and the hub's own devices on it. */
export class MqttFeature implements Feature {
  readonly broker: Broker;
  /** Handlers of messages from the hub's own devices, wherever they arrive. */
  readonly handlers: NativeHandlers;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  #onPresence: (deviceId: string, isThere: boolean) => void = () => {};

  constructor(base: Base, siblings: Siblings) {
    const { access, devices, bridge } = siblings;
    const { registry, commands } = devices;
    const { clock, trust, tls, logger, database } = base;
    const settings = base.settings();
    const { mqtt, http } = settings;
    const handlers = nativeHandlers(siblings, clock);
    const broker = new Broker({
      host: http.host,
      port: mqtt.plain ? mqtt.port : null,
      tls: tls === null ? null : ownTls(tls),
      topicRoot: mqtt.topicRoot,
      limits: brokerLimits(settings),
      database,
      authenticate: (deviceId, password) => {
        const device = registry.authenticate(deviceId, password);
        return device === null ? null : { deviceId: device.id, siteId: device.siteId, type: device.type };
      },
      isDevice: (username) => registry.find(username)?.hasPassword ?? false,
      bridge: bridge.policy,
      handlers: {
        ...handlers,
        connected: (deviceId) => {
          this.#onPresence(deviceId, true);
          handlers.connected(deviceId);
        },
        disconnected: (deviceId, reason) => {
          this.#onPresence(deviceId, false);
          handlers.disconnected(deviceId, reason);
        },
      },
      results: commands,
      clockTrusted: () => trust.state() !== "unknown",
      clock,
      logger: logger.child({ part: "mqtt" }),
    });
    this.#base = base;
    this.#access = access;
    this.broker = broker;
    this.handlers = handlers;
    this.services = [{ service: broker, start: "serve", stop: "intake" }];
    base.address.listens(broker);
    bridge.servedBy(broker);
    devices.servedBy(broker);
    devices.forgottenBy((deviceId) => broker.forget(deviceId));
    // a removed device loses its sessions and retained messages too; one with a new password only its connections
    devices.onRemoved((deviceId) => {
      if (registry.find(deviceId) !== null) broker.disconnect(deviceId);
      else
        broker
          .forget(deviceId)
          .catch((error: unknown) => logger.error({ deviceId, err: error }, "the removed device's sessions stay"));
    });
  }

  /** Whether devices can connect, encrypted or not. */
  get isListening(): boolean {
    return this.broker.port !== null || this.broker.tlsPort !== null;
  }

  /**
   * Notifies `listener` that a device's first connection here began, or that its last one ended; before anything else
   * does.
   */
  onPresence(listener: (deviceId: string, isThere: boolean) => void): void {
    this.#onPresence = listener;
  }

  get console() {
    return explorerRoutes(this.broker, this.#base.clock, this.#access.note);
  }

  get checks() {
    return [brokerCheck({ listening: () => this.isListening, clientCount: () => this.broker.figures()?.devices ?? 0 })];
  }

  get metrics() {
    return [
      { name: "mqtt_devices", help: "Devices connected.", read: () => this.broker.figures()?.devices ?? 0 },
      {
        name: "mqtt_refused",
        help: "Messages refused since start.",
        kind: "counter" as const,
        read: () => this.broker.figures()?.refused ?? 0,
      },
    ];
  }
}

/** The certificate is read when the broker listens: it may have been renewed since the hub was composed. */
function ownTls(tls: HubTls): { readonly port: number } & TlsMaterial {
  return {
    port: tls.mqttsPort,
    get cert() {
      return tls.server.cert;
    },
    get key() {
      return tls.server.key;
    },
  };
}
