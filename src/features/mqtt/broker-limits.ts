import { days } from "../../core/base.ts";
import type { Settings } from "../../core/settings/schema.ts";
import { DEFAULT_LIMITS, type MqttLimits } from "./limits.ts";

/** The broker's limits according to the settings. */
export function brokerLimits({ mqtt, bridge }: Settings): MqttLimits {
  return {
    ...DEFAULT_LIMITS,
    stopDrainMs: 1_500,
    maxConnections: mqtt.maxConnections,
    packetBytes: mqtt.maxPacketBytes,
    cameraPacketBytes: mqtt.maxFrameBytes,
    messagesPerSecond: mqtt.messagesPerSecond,
    messageBurst: mqtt.messageBurst,
    bridgeMessagesPerSecond: bridge.messagesPerSecond,
    queuedMessagesPerSession: mqtt.queuedMessages,
    queuedBytesPerSession: mqtt.queuedBytes,
    sessionExpiryMs: days(mqtt.sessionExpiryDays),
  };
}
