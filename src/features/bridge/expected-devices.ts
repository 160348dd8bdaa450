/**
 * Owns the assignments of set-up documents for devices of other makes: which client's device is which device of the
 * hub. They are stored with the learned devices, so that only that client's own announcement finds its device again.
 */

import type { Bridge } from "../../../firmware-bridge/bridge.ts";
import { OUTSIDE } from "../../../firmware-bridge/ports.ts";
import { familiesOf } from "../../../firmware-bridge/rights.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import { isExpected, rowOf } from "./memory.ts";
import { type BridgeClientRow, BridgeClientTable } from "./tables/bridge-client.ts";
import { type BridgeDeviceRow, BridgeDeviceTable } from "./tables/bridge-device.ts";

/** The credential that brings a device. */
export interface DeviceOrigin {
  /** User name of the client that brings it; null: the broker of the site. */
  readonly client: string | null;
  readonly family: string;
  /** The family's key for it. */
  readonly key: string;
  /** Addresses by which another family of the same client knows it. */
  readonly hardware: readonly string[];
}

/** The devices of other makes that set-up documents name. */
export class ExpectedDevices {
  readonly #database: Database;
  readonly #bridge: Pick<Bridge, "expect">;
  readonly #devices: BridgeDeviceTable;
  readonly #clients: BridgeClientTable;

  constructor(database: Database, bridge: Pick<Bridge, "expect">) {
    this.#database = database;
    this.#bridge = bridge;
    this.#devices = new BridgeDeviceTable(database);
    this.#clients = new BridgeClientTable(database);
  }

  /** Where the hub's devices of other makes come from, by device; without those whose client was forgotten. */
  origins(): ReadonlyMap<string, DeviceOrigin> {
    const names = new Map<number, string | null>(
      this.#clients.all().flatMap((row) => (row.status === "accepted" ? [[row.id, row.username]] : [])),
    );
    names.set(OUTSIDE, null);
    const origins = this.#devices
      .all()
      .filter(isHeld)
      .flatMap((row): [string, DeviceOrigin][] => {
        const client = row.clientId === null ? undefined : names.get(row.clientId);
        // as the bridge learned it
        const { hardware = [] } = storedJson<{ hardware?: readonly string[] }>(row.announcement, {});
        return client === undefined ? [] : [[row.deviceId, { client, family: row.family, key: row.key, hardware }]];
      });
    return new Map(origins);
  }

  /**
   * Inside a job: expects a device of the hub from a client. Returns whether that is new.
   * @throws Problem `invalid_body`, `conflict`
   */
  put(deviceId: string, origin: DeviceOrigin): boolean {
    const { family, key, hardware } = origin;
    const client = this.#idOf(origin);
    const known = this.#devices.find(family, key);
    const holder = this.#devices.ofDevice(deviceId).find(isHeld);
    if (known !== undefined && isHeld(known)) {
      if (known.deviceId === deviceId && (known.clientId ?? OUTSIDE) === client) return false;
      throw new Problem("conflict", { code: "conflict.deviceOfOther", key, family, device: known.deviceId });
    }
    if (known?.bindingState === "shadowed")
      throw new Problem("conflict", { code: "conflict.deviceKnownByOther", key, family, device: known.deviceId });
    if (holder !== undefined)
      throw new Problem("conflict", {
        code: "conflict.deviceStandsFor",
        device: deviceId,
        key: holder.key,
        family: holder.family,
      });
    this.#devices.put(
      rowOf({
        family,
        key,
        deviceId,
        bindingState: "expected",
        clientId: client,
        mqttClientId: null,
        announcement: { key, hardware },
        memo: {},
        changedAt: 0,
      }),
    );
    this.#database.committed(() => this.#bridge.expect({ family, key, deviceId, client, hardware }));
    return true;
  }

  #idOf({ client, family }: DeviceOrigin): number {
    if (client === null) return OUTSIDE;
    const row = this.#clients.all().find(({ username, status }) => username === client && status === "accepted");
    if (row === undefined) throw new Problem("invalid_body", { code: "refusal.bridge.noClient", client });
    if (!familiesOf(namesIn(row)).includes(family))
      throw new Problem("invalid_body", { code: "refusal.bridge.family", client, family });
    return row.id;
  }
}

/** Whether a family has its device of the hub, or will have it. */
function isHeld(row: BridgeDeviceRow): boolean {
  return row.bindingState === "bound" || isExpected(row);
}

function namesIn({ family, families }: BridgeClientRow): string[] {
  return [...(family === null ? [] : [family]), ...families.split(" ").filter((name) => name !== "")];
}
