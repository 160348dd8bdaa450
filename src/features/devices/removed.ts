import type { Facts } from "../../core/api/facts.ts";
import type { Bus } from "../../core/kernel/bus.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** Which devices were removed, and which parts may still have something of them. */
export interface RemovedDevices {
  /** Ids of removed devices whose history may have been left. */
  readonly retired: () => readonly string[];
  /** Each removes everything that it has of a device, if anything. */
  readonly forget: readonly ((deviceId: string) => Promise<void>)[];
}

/**
 * Finishes removals that were cut off between the device's row and what others store about it. Only a row that says
 * that a device was removed counts as evidence: a device that cannot be read now was not removed.
 */
export async function finishRemovals({ retired, forget }: RemovedDevices): Promise<void> {
  for (const deviceId of retired()) for (const part of forget) await part(deviceId);
}

/** Forgets what a device measured as soon as it is removed: the owner was told that its history goes with it. */
export function forgetRemoved(bus: Bus<Facts>, telemetry: Telemetry, logger: Logger): void {
  const failed = (deviceId: string, error: unknown): void =>
    logger.error({ deviceId, err: error }, "the removed device's telemetry stays");
  bus.on("device.edited", "telemetry of removed devices", ({ deviceId, what }) => {
    if (what === "removed") telemetry.removeDevice(deviceId).catch((error: unknown) => failed(deviceId, error));
  });
}
