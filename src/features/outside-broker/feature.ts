import type { Bridge } from "../../../firmware-bridge/bridge.ts";
import { TOPICS, type TopicName } from "../../core/api/topics.ts";
import type { Base } from "../../core/base.ts";
import type { HealthCheck } from "../../core/health/health.ts";
import { ownCopy } from "../../core/kernel/free-bytes.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { Settings } from "../../core/settings/schema.ts";
import { buildHomeAssistant, type HomeAssistantNeeds } from "../home-assistant/feature.ts";
import { NativeTopics } from "../mqtt/authorise.ts";
import { dispatch, type NativeHandlers, RefusedPayload } from "../mqtt/native-topics.ts";
import type { MetricSource } from "../system/metrics.ts";
import { type HubSecret, outsideAddress, prefixOf } from "./address.ts";
import { outsideBrokerCheck } from "./health.ts";
import { type ArrivedMessage, OutsideBroker } from "./outside-broker.ts";

/**
 * A broker of the site that the hub has joined, from the rest of the hub's view. Everything is quiet where there is
 * none.
 */
export interface OutsideParts {
  readonly services: readonly Service[];
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];
  /** Whether a native device was last heard there, not at the embedded broker. */
  carries(deviceId: string): boolean;
  /** A native device's first connection to the embedded broker began, or its last one ended. */
  atHome(deviceId: string, isThere: boolean): void;
  /** Sends a command to a native device there. */
  deliver(deviceId: string, payload: string, ttlMs: number, from: string): "sent" | "queued";
  /** Sends a message of the bridge. */
  publish(message: { readonly topic: string; readonly payload: string }, ttlMs: number): void;
  /** Retained messages of other makes there. */
  retained(filter: string): readonly { readonly topic: string; readonly payload: Uint8Array }[];
}

/** What it uses; called once the hub runs. */
export interface OutsideNeeds {
  readonly handlers: () => NativeHandlers;
  readonly bridge: () => Bridge;
  /** A native device of the live household; null if there is none with this id. */
  readonly device: (deviceId: string) => { readonly online: boolean } | null;
  readonly onDelivered: (deviceId: string, payload: string) => void;
  /** A secret of this hub, for a client id of its own. */
  readonly hubKey: HubSecret;
  readonly hub: HomeAssistantNeeds["hub"];
  readonly version: string;
}

const NONE: OutsideParts = {
  services: [],
  checks: [],
  metrics: [],
  carries: () => false,
  atHome: () => {},
  deliver: () => "queued",
  publish: () => {},
  retained: () => [],
};

/** What a retained message may report: states. The rest of the protocol is events, or is never retained. */
const LASTING: ReadonlySet<TopicName> = new Set(["status", "info", "state"]);

/** Joins the configured broker; {@link NONE} without one. */
export function buildOutside(base: Base, needs: OutsideNeeds): OutsideParts {
  const { outsideBroker: settings, mqtt } = base.settings();
  if (settings.url === "") return NONE;
  const logger = base.logger.child({ part: "outside broker" });
  const topics = new NativeTopics(mqtt.topicRoot);
  const native = Object.values(TOPICS).filter(({ from }) => from === "device");
  const nativeFilters = native.map(({ pattern }) =>
    pattern.replace("{root}", mqtt.topicRoot).replaceAll(/\{\w+\}/g, "+"),
  );
  /** Native devices that were last heard there. */
  const guests = new Set<string>();
  const home = new Set<string>();
  const refused = { count: 0 };

  const takeNative = async (message: ArrivedMessage): Promise<void> => {
    const topic = topics.parse(message.topic);
    if (topic === null || topic.name === "command" || needs.device(topic.deviceId) === null) return;
    if (message.retained && (!LASTING.has(topic.name) || message.payload.length === 0)) return;
    if (!message.retained) guests.add(topic.deviceId);
    else if (message.payload.toString().includes("online")) guests.add(topic.deviceId);
    const { messageId, duplicate, connection } = message;
    try {
      const at = base.clock.now();
      const { payload } = message;
      const text = (): string => payload.toString("utf8");
      const ownPayload = (): Buffer => ownCopy(payload);
      await dispatch(topic, { payload, ownPayload, text, messageId, duplicate, at, connection }, needs.handlers());
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
  const homeAssistant = buildHomeAssistant(base, needs);
  const broker: OutsideBroker = new OutsideBroker({
    address: outsideAddress(settings, needs.hubKey),
    prefix,
    filters: () => [...nativeFilters, ...foreignFilters(settings, needs)],
    message: (message) => {
      if (message.topic.startsWith(`${mqtt.topicRoot}/`)) return takeNative(message);
      if (!settings.otherMakes || homeAssistant.isOwn(prefix + message.topic)) return Promise.resolve();
      return needs.bridge().message({
        topic: message.topic,
        payload: message.payload,
        durable: message.qos > 0,
        retained: message.retained,
        speaker: null,
      });
    },
    connected: () => needs.bridge().attached(),
    clock: base.clock,
    logger,
    random: Math.random,
  });

  return {
    services: [broker, ...homeAssistant.services],
    checks: [
      outsideBrokerCheck(
        () => broker.figures,
        () => base.clock.now(),
      ),
      ...homeAssistant.checks,
    ],
    metrics: metricsOf(broker, refused),
    carries: (deviceId) => guests.has(deviceId) && !home.has(deviceId),
    atHome: (deviceId, isThere) => {
      if (isThere) home.add(deviceId);
      else home.delete(deviceId);
      if (isThere) guests.delete(deviceId);
    },
    deliver: (deviceId, payload, ttlMs, from) => {
      const onSent = (): void => needs.onDelivered(deviceId, payload);
      const isThere = (): boolean => needs.device(deviceId)?.online ?? false;
      return broker.publish({ topic: topics.command(deviceId), payload, from, isThere, onSent }, ttlMs);
    },
    publish: (message, ttlMs) => {
      if (settings.otherMakes) broker.publish(message, ttlMs);
    },
    retained: (filter) =>
      settings.otherMakes
        ? broker
            .retained(filter)
            .filter(({ topic }) => !topic.startsWith(`${mqtt.topicRoot}/`) && !homeAssistant.isOwn(prefix + topic))
        : [],
  };
}

function foreignFilters(settings: Settings["outsideBroker"], needs: OutsideNeeds): string[] {
  return settings.otherMakes
    ? needs
        .bridge()
        .families()
        .flatMap((member) => [...member.topics])
    : [];
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
