import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { Meter } from "../energy/rules/energy-counter.ts";
import { BridgeCounterTable } from "./tables/bridge-counter.ts";
import { type BridgeDeviceRow, BridgeDeviceTable } from "./tables/bridge-device.ts";

/**
 * The stored state of one device of a firmware family. `announcement` is the device as the family described it, `memo`
 * the family's own data.
 */
export interface LearnedDevice<Announcement extends object> {
  readonly family: string;
  readonly key: string;
  readonly deviceId: string;
  readonly bindingState: BridgeDeviceRow["bindingState"] | "expected";
  readonly clientId: number | null;
  readonly mqttClientId: string | null;
  readonly announcement: Announcement;
  readonly memo: JsonObject;
  /** When the binding state changed, epoch milliseconds. */
  readonly changedAt: number;
}

/** A counter of one device. */
export interface LearnedMeter {
  readonly deviceId: string;
  readonly metric: string;
  readonly meter: Meter;
}

/** Learned state of devices of other makes, on disk. Only the families know the content of an `Announcement`. */
export class LearnedMemory<Announcement extends object> {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #devices: BridgeDeviceTable;
  readonly #counters: BridgeCounterTable;

  constructor(options: { readonly database: Database; readonly logger: Logger }) {
    this.#database = options.database;
    this.#logger = options.logger;
    this.#devices = new BridgeDeviceTable(options.database);
    this.#counters = new BridgeCounterTable(options.database);
  }

  /** Every device; an unreadable row is left out and logged. */
  devices(): LearnedDevice<Announcement>[] {
    return this.#devices.all().flatMap((row) => {
      const announcement = storedJson<Announcement | null>(row.announcement, null);
      const memo = storedJson<JsonObject | null>(row.memo, null);
      if (announcement === null || memo === null) {
        this.#logger.warn({ family: row.family, key: row.key }, "a device's stored state is damaged; it is rebuilt");
        return [];
      }
      const { family, key, deviceId, clientId, mqttClientId, changedAt } = row;
      return [
        {
          family,
          key,
          deviceId,
          bindingState: isExpected(row) ? "expected" : row.bindingState,
          clientId,
          mqttClientId,
          announcement,
          memo,
          changedAt,
        },
      ];
    });
  }

  /** Every counter, by device and metric. */
  meters(): Map<string, Map<string, Meter>> {
    const meters = new Map<string, Map<string, Meter>>();
    for (const row of this.#counters.all()) {
      const meter = storedJson<Meter | null>(row.meter, null);
      if (meter !== null) meters.set(row.deviceId, (meters.get(row.deviceId) ?? new Map()).set(row.metric, meter));
    }
    return meters;
  }

  /** Writes what changed, all of it or nothing. @throws Problem `storage_full`, `unavailable`. */
  async save(changes: {
    readonly devices: readonly LearnedDevice<Announcement>[];
    readonly forgotten: readonly { readonly family: string; readonly key: string }[];
    readonly meters: readonly LearnedMeter[];
    readonly forgottenMeters: readonly string[];
  }): Promise<void> {
    await this.#database.write(() => {
      for (const { family, key } of changes.forgotten) this.#devices.remove(family, key);
      for (const device of changes.devices) this.#devices.put(rowOf(device));
      for (const deviceId of changes.forgottenMeters) this.#counters.removeOf(deviceId);
      for (const { deviceId, metric, meter } of changes.meters)
        this.#counters.put({ deviceId, metric, meter: JSON.stringify(meter) });
    });
  }
}

/** The memo of an expected device; families never write this one. */
const EXPECTED = JSON.stringify({ "": "expected" });

/**
 * The row of a device. An expected one is stored as `shadowed` and recognised by its memo: the table knows four states.
 */
export function rowOf({ bindingState, announcement, memo, ...device }: LearnedDevice<object>): BridgeDeviceRow {
  const kept =
    bindingState === "expected"
      ? { bindingState: "shadowed" as const, memo: EXPECTED }
      : { bindingState, memo: JSON.stringify(memo) };
  return { ...device, announcement: JSON.stringify(announcement), ...kept };
}

/** Whether a row's device has not sent anything yet. */
export function isExpected({ bindingState, memo }: Pick<BridgeDeviceRow, "bindingState" | "memo">): boolean {
  return bindingState === "shadowed" && memo === EXPECTED;
}
