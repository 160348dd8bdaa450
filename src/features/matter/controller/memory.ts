import type { BridgedDevice } from "../../../../firmware-bridge/family.ts";
import type { BridgeMemory, DeviceMemory } from "../../../../firmware-bridge/ports.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import type { Database } from "../../../core/storage/database.ts";
import { storedJson } from "../../../core/storage/stored-json.ts";
import { BridgeCounterTable } from "../../bridge/tables/bridge-counter.ts";
import type { Meter } from "../../energy/rules/energy-counter.ts";
import { type MatterDeviceRow, MatterDeviceTable } from "../tables/matter-device.ts";

/** Matter's name among the makes of devices; device ids begin with it. */
export const MATTER = "matter";

/** The mapping from endpoints of nodes to devices, and their counters, on disk. */
export class MatterMemory implements BridgeMemory {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #rows: MatterDeviceTable;
  readonly #counters: BridgeCounterTable;

  constructor({ database, logger }: { readonly database: Database; readonly logger: Logger }) {
    this.#database = database;
    this.#logger = logger;
    this.#rows = new MatterDeviceTable(database);
    this.#counters = new BridgeCounterTable(database);
  }

  /** Every device; an unreadable row is left out and logged. */
  devices(): DeviceMemory[] {
    return this.#rows.all().flatMap(({ node, endpoint, deviceId, bindingState, announcement }) => {
      const device = storedJson<BridgedDevice | null>(announcement, null);
      if (device === null)
        this.#logger.warn({ node, endpoint }, "a Matter device's stored state is damaged; it is rebuilt");
      return device === null ? [] : [{ family: MATTER, device, deviceId, bindingState, speaker: null, changedAt: 0 }];
    });
  }

  /** Counters of Matter devices. */
  meters(): Map<string, Map<string, Meter>> {
    const own = new Set(this.#rows.all().map(({ deviceId }) => deviceId));
    const meters = new Map<string, Map<string, Meter>>();
    for (const { deviceId, metric, meter } of this.#counters.all()) {
      const read = own.has(deviceId) ? storedJson<Meter | null>(meter, null) : null;
      if (read !== null) meters.set(deviceId, (meters.get(deviceId) ?? new Map()).set(metric, read));
    }
    return meters;
  }

  /** Writes what changed, all of it or nothing. @throws Problem `storage_full`, `unavailable` */
  async save({ devices, forgotten, meters, forgottenMeters }: Parameters<BridgeMemory["save"]>[0]): Promise<void> {
    await this.#database.write(() => {
      for (const { key } of forgotten) {
        const { node, endpoint } = partsOf(key);
        this.#rows.remove(node, endpoint);
      }
      for (const { device, deviceId, bindingState } of devices) {
        const state = isKept(bindingState) ? bindingState : "gone";
        this.#rows.put({ ...partsOf(device.key), deviceId, bindingState: state, announcement: JSON.stringify(device) });
      }
      for (const deviceId of forgottenMeters) this.#counters.removeOf(deviceId);
      for (const { deviceId, metric, meter } of meters)
        this.#counters.put({ deviceId, metric, meter: JSON.stringify(meter) });
    });
  }

  /** Forgets a node that is out of the fabric. */
  async forget(node: string): Promise<void> {
    await this.#database.write(() => this.#rows.removeNode(node));
  }
}

/** Node and endpoint of a device's key. */
export function partsOf(key: string): { readonly node: string; readonly endpoint: number } {
  const [node = "", endpoint = "0"] = key.split("-");
  return { node, endpoint: Number(endpoint) };
}

function isKept(state: DeviceMemory["bindingState"]): state is MatterDeviceRow["bindingState"] {
  return state === "bound" || state === "gone" || state === "removed";
}
