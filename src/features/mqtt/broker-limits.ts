import { DAY_MS } from "../../core/kernel/clock.ts";
import { DEFAULT_LIMITS, type MqttLimits } from "../../core/mqtt/limits.ts";
import type { Settings } from "../../core/settings/schema.ts";

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
    sessionExpiryMs: mqtt.sessionExpiryDays * DAY_MS,
  };
}
