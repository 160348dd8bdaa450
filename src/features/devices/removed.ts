/** Which devices were removed, and which parts may still have something of them. */
export interface RemovedDevices {
  /** Ids of removed devices whose history may have been left. */
  readonly retired: () => readonly string[];
  /** Each removes everything that it has of a device, if anything. */
  readonly forget: readonly ((deviceId: string) => Promise<unknown>)[];
}

/**
 * Finishes removals that were cut off between the device's row and other parts' data about it. Only a row that records
 * the removal counts as evidence: a device that is unreadable now was not removed.
 */
export async function finishRemovals({ retired, forget }: RemovedDevices): Promise<void> {
  for (const deviceId of retired()) for (const part of forget) await part(deviceId);
}
