import type { Meter } from "../domain/energy-counter.js";
import { isJsonObject, type JsonObject } from "../kernel/json-object.js";
import type { Logger } from "../kernel/logger.js";
import type { Database } from "../storage/database.js";
import { BridgeCounterTable } from "../storage/tables/bridge-counter.js";
import { type BridgeDeviceRow, BridgeDeviceTable } from "../storage/tables/bridge-device.js";

/**
 * What is kept of one device of a firmware family. `announcement` is the device as the family described it, `memo` what
 * it wants back.
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
}

/** A counter of one device. */
export interface LearnedMeter {
  readonly deviceId: string;
  readonly metric: string;
  readonly meter: Meter;
}

/** What was learned of devices of other makes, on disk. The families alone know what is in an `Announcement`. */
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

  /** Every device; a row that cannot be read is left out and named in the log. */
  devices(): LearnedDevice<Announcement>[] {
    return this.#devices.all().flatMap((row) => {
      const announcement = parsed<Announcement>(row.announcement);
      const memo = parsed<JsonObject>(row.memo);
      if (announcement === null || memo === null) {
        this.#logger.warn(
          { family: row.family, key: row.key },
          "what was learned of a device is damaged; it is learned again",
        );
        return [];
      }
      const { family, key, deviceId, clientId, mqttClientId } = row;
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
        },
      ];
    });
  }

  /** Every counter, by device and metric. */
  meters(): Map<string, Map<string, Meter>> {
    const meters = new Map<string, Map<string, Meter>>();
    for (const row of this.#counters.all()) {
      const meter = parsed<Meter>(row.meter);
      if (meter !== null) meters.set(row.deviceId, (meters.get(row.deviceId) ?? new Map()).set(row.metric, meter));
    }
    return meters;
  }

  /** Writes what changed, all of it or nothing. @throws Problem `storage_full`, `unavailable`. */
  async save(changes: {
    readonly devices: readonly LearnedDevice<Announcement>[];
    readonly meters: readonly LearnedMeter[];
    readonly forgottenMeters: readonly string[];
  }): Promise<void> {
    await this.#database.write(() => {
      for (const device of changes.devices) this.#devices.put(rowOf(device));
      for (const deviceId of changes.forgottenMeters) this.#counters.removeOf(deviceId);
      for (const { deviceId, metric, meter } of changes.meters)
        this.#counters.put({ deviceId, metric, meter: JSON.stringify(meter) });
    });
  }
}

/** The memo of a device that is expected; no family writes such a one. */
const EXPECTED = JSON.stringify({ "": "expected" });

/**
 * The row of a device. One that is expected is kept as `shadowed`, told apart by its memo: the table knows four states.
 */
export function rowOf({ bindingState, announcement, memo, ...device }: LearnedDevice<object>): BridgeDeviceRow {
  const kept =
    bindingState === "expected"
      ? { bindingState: "shadowed" as const, memo: EXPECTED }
      : { bindingState, memo: JSON.stringify(memo) };
  return { ...device, announcement: JSON.stringify(announcement), ...kept };
}

/** Whether nothing was heard yet of the device of a row. */
export function isExpected({ bindingState, memo }: Pick<BridgeDeviceRow, "bindingState" | "memo">): boolean {
  return bindingState === "shadowed" && memo === EXPECTED;
}

/** An object that {@link LearnedMemory.save} wrote; null when the text is damaged. */
function parsed<Shape extends object>(text: string): Shape | null {
  try {
    const value = JSON.parse(text) as Shape; // nobody else writes these columns
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
