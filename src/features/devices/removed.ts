import type { DeviceRegistry } from "./registry.ts";

/**
 * Finishes removals that were cut off between the device's row and other parts' data about it. Only a row that records
 * the removal counts as evidence: a device that is unreadable now was not removed.
 * `forget`: each removes everything that a feature has of a device.
 */
export async function finishRemovals(
  registry: DeviceRegistry,
  forget: readonly ((deviceId: string) => Promise<unknown>)[],
): Promise<void> {
  for (const deviceId of registry.retired()) for (const part of forget) await part(deviceId);
}
