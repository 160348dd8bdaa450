/**
 * The services of the hub that the bridge's core uses. `src/features/bridge/feature.ts` connects them to devices,
 * telemetry, gate, storage and broker.
 */

import type { JsonObject } from "../src/core/kernel/json-object.ts";
import type { Meter } from "../src/features/energy/rules/energy-counter.ts";
import type { BridgedDevice, BridgedPlate, Outgoing } from "./family.ts";

/**
 * The hub's devices. Each promise resolves when the result is on disk; it rejects with the Problem of the part that
 * refused.
 */
export interface BridgeDevices {
  /**
   * Creates a device in the owner's household. Returns its id: `id`, or `id-2`, `id-3` … if an earlier one still has
   * its history.
   */
  create(device: {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly room: string | null;
  }): Promise<string>;
  /** The hub's record of a device; null if there is none. */
  find(deviceId: string): { readonly name: string; readonly online: boolean; readonly state: JsonObject } | null;
  rename(deviceId: string, name: string): Promise<void>;
  info(deviceId: string, info: JsonObject): Promise<void>;
  state(deviceId: string, patch: JsonObject): Promise<void>;
  /** Values that are reported again anyway: visible at once, on disk some minutes later. */
  measured(deviceId: string, patch: JsonObject): Promise<void>;
  /** `durable`: resolve only when the samples are on disk. */
  telemetry(
    deviceId: string,
    samples: readonly { readonly at: number | null; readonly data: JsonObject }[],
    durable: boolean,
  ): Promise<void>;
  presence(deviceId: string, online: boolean): Promise<void>;
  event(
    deviceId: string,
    event: { readonly kind: string; readonly title: string; readonly body: string },
  ): Promise<void>;
  plate(deviceId: string, plate: BridgedPlate): Promise<void>;
  /** Whether there is a household yet in which devices can be created. */
  ready(): boolean;
}

/**
 * The relation of a family's device to the hub. `expected`: a set-up document assigns it to a device of the hub, and it
 * has not sent anything yet. `shadowed`: another family holds the same device. `gone`: reported by its firmware.
 * `removed`: the owner removed it.
 */
export type BindingState = "expected" | "bound" | "shadowed" | "gone" | "removed";

/**
 * A device assigned by a set-up document: the device that the credential `client` announces under `key` is the hub's
 * `deviceId`.
 */
export interface ExpectedDevice {
  readonly family: string;
  readonly key: string;
  readonly deviceId: string;
  /** Id of the credential, or {@link OUTSIDE}. No other credential can bring the device. */
  readonly client: number;
  /** Addresses by which another family of the same credential knows the device; lower case. */
  readonly hardware: readonly string[];
}

/** The stored state of one device of a family. */
export interface DeviceMemory {
  readonly family: string;
  readonly device: BridgedDevice;
  readonly deviceId: string;
  readonly bindingState: BindingState;
  readonly speaker: Speaker | null;
  /** When the binding state changed, epoch milliseconds; 0: not known. */
  readonly changedAt: number;
}

/** Replaces a credential's id: the site's broker that the hub has joined. */
export const OUTSIDE = 0;

/**
 * The source of a device's messages: a credential, and the MQTT client id that it last used. Rights depend on the
 * credential alone.
 */
export interface Speaker {
  /** Id of the credential, or {@link OUTSIDE}. */
  readonly client: number;
  /** MQTT client id as the client chose it; null if it is random. */
  readonly mqttClientId: string | null;
}

/** What survives a restart; it is read once and written in batches. */
export interface BridgeMemory {
  devices(): readonly DeviceMemory[];
  meters(): ReadonlyMap<string, ReadonlyMap<string, Meter>>;
  /** Writes what changed, all of it or nothing. */
  save(changes: {
    readonly devices: readonly DeviceMemory[];
    /** Devices no longer known; deleted before `devices` are written. */
    readonly forgotten: readonly { readonly family: string; readonly key: string }[];
    readonly meters: readonly { readonly deviceId: string; readonly metric: string; readonly meter: Meter }[];
    readonly forgottenMeters: readonly string[];
  }): Promise<void>;
}

/** What the bridge needs of the broker. */
export interface BridgeBroker {
  /**
   * Hands a message to the connections of one credential, or, if null, of all; it is dropped if it could not be
   * delivered within `ttlMs`. Never retained.
   */
  publish(message: Outgoing, ttlMs: number, client: number | null): void;
  /** Retained messages that a credential left outside the native topics. */
  retained(filter: string, client: number): readonly { readonly topic: string; readonly payload: Uint8Array }[];
  /** Clears retained messages; resolves when that is on disk. */
  clear(topics: readonly string[]): Promise<void>;
}

/** The further audit of a command. */
export interface CommandResultSink {
  /** The device's state shows that it was done. */
  onDelivered(deviceId: string, payload: string): void;
  /** It did not within the time. */
  onTimeout(deviceId: string, payload: string): void;
}
