import { TOPICS, type TopicName } from "../../core/api/topics.ts";
import type { Base } from "../../core/base.ts";
import type { Feature, MetricSource, PlacedService } from "../../core/feature.ts";
import type { HealthCheck } from "../../core/health/health.ts";
import { ownCopy } from "../../core/kernel/free-bytes.ts";
import { NativeTopics } from "../../core/mqtt/authorise.ts";
import { dispatch, RefusedPayload } from "../../core/mqtt/native-topics.ts";
import type { BridgeFeature } from "../bridge/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { MqttFeature } from "../mqtt/feature.ts";
import { outsideAddress, prefixOf } from "./address.ts";
import { outsideBrokerCheck } from "./health.ts";
import { type ArrivedMessage, OutsideBroker } from "./outside-broker.ts";

/** The features that the outside broker works with. */
interface Siblings {
  readonly devices: DevicesFeature;
  readonly bridge: BridgeFeature;
  readonly mqtt: MqttFeature;
}

/** Retained messages may only report states. The rest of the protocol is events, or is never retained. */
const LASTING: ReadonlySet<TopicName> = new Set(["status", "info", "state"]);

/** The site's own broker that the hub has joined. Idle without one. */
export class OutsideBrokerFeature implements Feature {
  readonly services: readonly PlacedService[] = [];
  readonly checks: readonly HealthCheck[] = [];
  readonly metrics: readonly MetricSource[] = [];
  readonly #devices: DevicesFeature;
  /** Native devices last seen there. */
  readonly #guests = new Set<string>();
  /** Those that are connected to the embedded broker. */
  readonly #home = new Set<string>();
  #isOthers: (topic: string) => boolean = () => false;

  constructor(base: Base, { devices, bridge, mqtt }: Siblings) {
    this.#devices = devices;
    const { outsideBroker: settings } = base.settings();
    if (settings.url === "") return;
    const { topicRoot } = base.settings().mqtt;
    const logger = base.logger.child({ part: "outside broker" });
    const topics = new NativeTopics(topicRoot);
    const native = Object.values(TOPICS).filter(({ from }) => from === "device");
    const nativeFilters = native.map(({ pattern }) => pattern.replace("{root}", topicRoot).replaceAll(/\{\w+\}/g, "+"));
    const refused = { count: 0 };

    const takeNative = async (message: ArrivedMessage): Promise<void> => {
      const topic = topics.parse(message.topic);
      if (topic === null || topic.name === "command" || this.#native(topic.deviceId) === null) return;
      if (message.retained && (!LASTING.has(topic.name) || message.payload.length === 0)) return;
      if (!message.retained) this.#guests.add(topic.deviceId);
      else if (message.payload.toString().includes("online")) this.#guests.add(topic.deviceId);
      const { messageId, duplicate, connection } = message;
      try {
        const at = base.clock.now();
        const { payload } = message;
        const text = (): string => payload.toString("utf8");
        const ownPayload = (): Buffer => ownCopy(payload);
        await dispatch(topic, { payload, ownPayload, text, messageId, duplicate, at, connection }, mqtt.handlers);
        if (topic.name === "status") broker.nudge();
      } catch (error) {
        if (!(error instanceof RefusedPayload)) throw error;
        refused.count += 1;
        logger.warn(
          { deviceId: topic.deviceId, topic: message.topic, reason: error.reason },
          "a device's message on the outside broker was refused",
        );
      }
    };

    const prefix = prefixOf(settings);
    const broker: OutsideBroker = new OutsideBroker({
      address: outsideAddress(settings, base.hubKey),
      prefix,
      filters: () => [
        ...nativeFilters,
        ...(settings.otherMakes ? bridge.core.families().flatMap((member) => [...member.topics]) : []),
      ],
      message: (message) => {
        if (message.topic.startsWith(`${topicRoot}/`)) return takeNative(message);
        if (!settings.otherMakes || this.#isOthers(prefix + message.topic)) return Promise.resolve();
        return bridge.core.message({
          topic: message.topic,
          payload: message.payload,
          durable: message.qos > 0,
          retained: message.retained,
          speaker: null,
        });
      },
      connected: () => bridge.core.attached(),
      clock: base.clock,
      logger,
      random: Math.random,
    });
    this.services = [{ service: broker, start: "serve", stop: "intake" }];
    this.checks = [
      outsideBrokerCheck(
        () => broker.figures,
        () => base.clock.now(),
      ),
    ];
    this.metrics = metricsOf(broker, refused);
    mqtt.onPresence((deviceId, isThere) => {
      if (isThere) this.#home.add(deviceId);
      else this.#home.delete(deviceId);
      if (isThere) this.#guests.delete(deviceId);
    });
    devices.commands.carriedBy({
      has: (deviceId) => this.#guests.has(deviceId) && !this.#home.has(deviceId),
      deliver: (deviceId, payload, ttlMs, from) => {
        const onSent = (): void => devices.commands.onDelivered(deviceId, payload);
        const isThere = (): boolean => this.#native(deviceId)?.online ?? false;
        return broker.publish({ topic: topics.command(deviceId), payload, from, isThere, onSent }, ttlMs);
      },
    });
    if (settings.otherMakes)
      bridge.joinedTo({
        publish: (message, ttlMs) => void broker.publish(message, ttlMs),
        retained: (filter) =>
          broker
            .retained(filter)
            .filter(({ topic }) => !topic.startsWith(`${topicRoot}/`) && !this.#isOthers(prefix + topic)),
      });
  }

  /** Topics there that are another feature's own. */
  leaves(isOthers: (topic: string) => boolean): void {
    this.#isOthers = isOthers;
  }

  /** A device with a password of its own; null for an unknown id. */
  #native(deviceId: string): { readonly online: boolean } | null {
    const device = this.#devices.registry.find(deviceId);
    return device?.hasPassword === true ? device : null;
  }
}

function metricsOf(broker: OutsideBroker, refused: { readonly count: number }): MetricSource[] {
  return [
    {
      name: "outside_broker_connected",
      help: "1 while the outside broker is there.",
      read: () => (broker.figures.connected ? 1 : 0),
    },
    {
      name: "outside_broker_connections",
      help: "Connections to the outside broker since start.",
      read: () => broker.figures.connections,
    },
    {
      name: "outside_broker_received",
      help: "Messages received from the outside broker since start.",
      read: () => broker.figures.received,
    },
    {
      name: "outside_broker_sent",
      help: "Messages sent to the outside broker since start.",
      read: () => broker.figures.sent,
    },
    {
      name: "outside_broker_waiting",
      help: "Messages that wait for the outside broker.",
      read: () => broker.figures.waiting,
    },
    {
      name: "outside_broker_expired",
      help: "Messages too old to be sent, since start.",
      read: () => broker.figures.expired,
    },
    {
      name: "outside_broker_refused",
      help: "Messages of native devices there that were refused, since start.",
      read: () => refused.count,
    },
  ];
}
