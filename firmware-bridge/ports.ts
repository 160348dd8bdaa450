/**
 * What the bridge's core asks of the hub. The composition root joins these to devices, telemetry, gate, storage and
 * broker.
 */

import type { Meter } from "../src/domain/energy-counter.js";
import type { JsonObject } from "../src/kernel/json-object.js";
import type { BridgedDevice, BridgedPlate, Outgoing } from "./family.js";

/**
 * The hub's devices. Each promise resolves when what it does is on disk; it rejects with the Problem of the part that
 * refused.
 */
export interface BridgeDevices {
  /**
   * Makes a device in the owner's household. Answers its id: `id`, or `id-2`, `id-3` … where an earlier one still has
   * its history.
   */
  create(device: {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly room: string | null;
  }): Promise<string>;
  /** What the hub holds of a device; null when there is none. */
  find(deviceId: string): { readonly name: string; readonly online: boolean; readonly state: JsonObject } | null;
  rename(deviceId: string, name: string): Promise<void>;
  info(deviceId: string, info: JsonObject): Promise<void>;
  state(deviceId: string, patch: JsonObject): Promise<void>;
  /** Values that are told again by themselves: known at once, on disk some minutes later. */
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
  /** Whether there is a household yet in which devices can be made. */
  ready(): boolean;
}

/**
 * Where a device of a family stands. `expected`: a set-up document says which device of the hub it is, and nothing was
 * heard of it yet. `shadowed`: another family keeps the same device. `gone`: its firmware says so. `removed`: the owner
 * removed it.
 */
export type BindingState = "expected" | "bound" | "shadowed" | "gone" | "removed";

/**
 * A device of which a set-up document says whose it is: what the credential `client` announces under `key` is the hub's
 * `deviceId`.
 */
export interface ExpectedDevice {
  readonly family: string;
  readonly key: string;
  readonly deviceId: string;
  /** Id of the credential, or {@link OUTSIDE}. Nobody else's word counts. */
  readonly client: number;
  /** Addresses by which another family of the same credential knows the device; lower case. */
  readonly hardware: readonly string[];
}

/** What is kept of one device of a family. */
export interface DeviceMemory {
  readonly family: string;
  readonly device: BridgedDevice;
  readonly deviceId: string;
  readonly bindingState: BindingState;
  readonly speaker: Speaker | null;
}

/** In the place of a credential's id: the broker of the site that the hub has joined. */
export const OUTSIDE = 0;

/**
 * Who speaks for a device: a credential, and the MQTT client id that it used last. Rights come of the credential alone.
 */
export interface Speaker {
  /** Id of the credential, or {@link OUTSIDE}. */
  readonly client: number;
  /** MQTT client id as the client chose it; null where it is random. */
  readonly mqttClientId: string | null;
}

/** What survives a restart; reading is done once, writing in batches. */
export interface BridgeMemory {
  devices(): readonly DeviceMemory[];
  meters(): ReadonlyMap<string, ReadonlyMap<string, Meter>>;
  /** Writes what changed, all of it or nothing. */
  save(changes: {
    readonly devices: readonly DeviceMemory[];
    readonly meters: readonly { readonly deviceId: string; readonly metric: string; readonly meter: Meter }[];
    readonly forgottenMeters: readonly string[];
  }): Promise<void>;
}

/** The broker, as far as the bridge needs it. */
export interface BridgeBroker {
  /**
   * Hands a message to the connections of one credential, or null: of all; it is dropped where it could not be
   * delivered after `ttlMs`. Never retained.
   */
  publish(message: Outgoing, ttlMs: number, client: number | null): void;
  /** Retained messages that a credential left outside the native topics. */
  retained(filter: string, client: number): readonly { readonly topic: string; readonly payload: Uint8Array }[];
  /** Clears retained messages; resolves when that is on disk. */
  clear(topics: readonly string[]): Promise<void>;
}

/** How the audit of a command goes on. */
export interface CommandResultSink {
  /** The device's state shows that it was done. */
  delivered(deviceId: string, payload: string): void;
  /** It did not within the time. */
  timedOut(deviceId: string, payload: string): void;
}
