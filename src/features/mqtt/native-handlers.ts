import type { Clock } from "../../core/kernel/clock.ts";
import type { DeviceParts } from "../devices/feature.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { type NativeCaptureDone, type NativeHandlers, RefusedPayload } from "./native-topics.ts";

/** Takes the frames of a camera's captures; promises resolve when they are on disk. */
export interface CaptureIntake {
  frame(deviceId: string, captureKey: string, n: number, jpeg: Buffer): Promise<void>;
  done(deviceId: string, captureKey: string, done: NativeCaptureDone): Promise<void>;
}

/** Where each message of a native device goes. */
export function nativeHandlers(parts: {
  readonly devices: DeviceParts;
  readonly telemetry: Telemetry;
  readonly captures: CaptureIntake;
  /** Whether a person has made the device a camera. */
  readonly isCamera: (deviceId: string) => boolean;
  readonly clock: Clock;
}): NativeHandlers {
  const { devices, telemetry, captures, isCamera, clock } = parts;
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
      presence.seen(deviceId, samples.at(-1)?.data, receipt.at);
      return telemetry.ingest(deviceId, samples, receipt);
    },
    event: (deviceId, event) => {
      seen(deviceId);
      return events.record(deviceId, { ...event }, clock.now());
    },
    frame: async (deviceId, captureKey, n, jpeg) => {
      asCamera(deviceId);
      seen(deviceId);
      return captures.frame(deviceId, captureKey, n, jpeg);
    },
    captureDone: async (deviceId, captureKey, done) => {
      asCamera(deviceId);
      return captures.done(deviceId, captureKey, done);
    },
  };
}
