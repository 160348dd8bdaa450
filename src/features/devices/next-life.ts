import { Problem } from "../../core/kernel/problem.ts";
import type { NewDevice } from "./input.ts";
import type { DeviceRegistry } from "./registry.ts";

/** Ids are tried up to this number: `tasmota-aabbccddeeff-2` … */
const MOST_LIVES = 50;

/**
 * Makes a device under its id or, if that already has a history, under `ID-2`, `ID-3` …: an id with a history is not
 * reused. Returns the id. @throws Problem as {@link DeviceRegistry.create}
 */
export async function createNextLife(
  registry: {
    create(...device: Parameters<DeviceRegistry["create"]>): Promise<{ readonly device: { readonly id: string } }>;
  },
  siteId: number,
  device: NewDevice & { readonly id: string },
): Promise<string> {
  for (let life = 1; ; life++) {
    const id = life === 1 ? device.id : `${device.id}-${life}`;
    try {
      return (await registry.create(siteId, { ...device, id })).device.id;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "conflict" || life >= MOST_LIVES) throw error;
    }
  }
}
