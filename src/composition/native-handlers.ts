import type { JsonObject } from "../contract/facts.js";
import type { Clock } from "../kernel/clock.js";
import type { NativeCaptureDone, NativeHandlers } from "../mqtt/native-topics.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { DeviceParts } from "./device-parts.js";

/** Takes the frames of a camera's captures; promises resolve when what came is on disk. */
export interface CaptureIntake {
  frame(deviceId: string, captureKey: string, n: number, jpeg: Buffer): Promise<void>;
  done(deviceId: string, captureKey: string, done: NativeCaptureDone): Promise<void>;
}

/** Where each message of a native device goes. */
export function nativeHandlers(parts: {
  readonly devices: DeviceParts;
  readonly telemetry: Telemetry;
  readonly captures: CaptureIntake;
  readonly clock: Clock;
}): NativeHandlers {
  const { devices, telemetry, captures, clock } = parts;
  const { presence, state, events } = devices;
  const seen = (deviceId: string, data?: JsonObject): void => presence.seen(deviceId, data);
  return {
    connected: (deviceId) => presence.connected(deviceId),
    disconnected: (deviceId, reason) => presence.disconnected(deviceId, reason),
    status: (deviceId, status) => presence.status(deviceId, status),
    info: (deviceId, info) => state.info(deviceId, info),
    state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: clock.now() }),
    telemetry: (deviceId, samples, receipt) => {
      seen(deviceId, samples.at(-1)?.data);
      return telemetry.ingest(deviceId, samples, receipt);
    },
    event: (deviceId, event) => {
      seen(deviceId);
      return events.record(deviceId, { ...event }, clock.now());
    },
    frame: (deviceId, captureKey, n, jpeg) => {
      seen(deviceId);
      return captures.frame(deviceId, captureKey, n, jpeg);
    },
    captureDone: (deviceId, captureKey, done) => captures.done(deviceId, captureKey, done),
  };
}
