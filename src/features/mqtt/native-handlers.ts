import type { Clock } from "../../core/kernel/clock.ts";
import { type NativeHandlers, RefusedPayload } from "../../core/mqtt/native-topics.ts";
import type { CamerasFeature } from "../cameras/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";

/** What native devices' messages are for. */
export interface NativeParts {
  readonly devices: DevicesFeature;
  readonly telemetry: TelemetryFeature;
  readonly cameras: CamerasFeature;
  readonly gate: GateFeature;
}

/** Where each message of a native device goes. */
export function nativeHandlers(
  { devices, telemetry: { telemetry }, cameras: { captures }, gate }: NativeParts,
  clock: Clock,
): NativeHandlers {
  const isCamera = (deviceId: string): boolean => gate.cameras.find(deviceId) !== null;
  const { presence, state, events } = devices;
  const seen = (deviceId: string): void => presence.seen(deviceId);
  /** A plate that a camera shows may open a gate: a plug's credential is not good for that. @throws RefusedPayload */
  const asCamera = (deviceId: string): void => {
    if (!isCamera(deviceId)) throw new RefusedPayload("not_a_camera", "Only cameras send captures.");
  };
  return {
    connected: (deviceId) => presence.connected(deviceId),
    disconnected: (deviceId, reason) => presence.disconnected(deviceId, reason),
    status: (deviceId, status) => presence.status(deviceId, status),
    info: (deviceId, info) => state.info(deviceId, info),
    state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: clock.now() }),
    telemetry: (deviceId, samples, receipt) => {
      presence.measured(deviceId, samples.at(-1)?.data, receipt.at);
      return telemetry.ingest(deviceId, samples, receipt);
    },
    event: (deviceId, event, receipt) => {
      seen(deviceId);
      return events.receive(deviceId, { ...event }, receipt);
    },
    frame: async (deviceId, captureKey, n, jpeg) => {
      asCamera(deviceId);
      seen(deviceId);
      return captures.frame(deviceId, captureKey, n, jpeg);
    },
    captureDone: async (deviceId, captureKey, done) => {
      asCamera(deviceId);
      return captures.captureDone(deviceId, captureKey, done);
    },
  };
}
