import { Problem } from "../kernel/problem.js";
import type { Device } from "./device.js";
import type { NewDevice } from "./input.js";
import type { DeviceRegistry } from "./registry.js";

/** Ids are tried up to this number: `tasmota-aabbccddeeff-2` … */
const MOST_LIVES = 50;

/**
 * Makes a device under its id, or, where that has a history already, begins a new one under `ID-2`, `ID-3` …: an id with a history is not given out
 * again. One that a set-up document has named before anything was heard of it is taken as it is. Answers the id.
 * @throws Problem as {@link DeviceRegistry.create}
 */
export async function createNextLife(
  registry: Pick<DeviceRegistry, "create" | "find">,
  siteId: number,
  device: NewDevice & { readonly id: string },
): Promise<string> {
  for (let life = 1; ; life++) {
    const id = life === 1 ? device.id : `${device.id}-${life}`;
    try {
      return (await registry.create(siteId, { ...device, id })).device.id;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "conflict") throw error;
      if (isExpected(registry.find(id), siteId)) return id;
      if (life >= MOST_LIVES) throw error;
    }
  }
}

/** Whether a set-up document has named the device: it has no credential of its own, and nobody has spoken for it. */
function isExpected(device: Device | null, siteId: number): boolean {
  return device !== null && device.siteId === siteId && !device.hasPassword && !device.simulated && device.lastSeen === null;
}
