import { Bridge } from "../../firmware-bridge/bridge.ts";
import type { BridgeOptions } from "../../firmware-bridge/bridge-options.ts";
import type { Credential } from "../../firmware-bridge/credential-context.ts";
import type { BridgedPlate, Family, Outgoing } from "../../firmware-bridge/family.ts";
import { type DeviceMemory, OUTSIDE, type Speaker } from "../../firmware-bridge/ports.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { QuietWrites } from "../../src/core/kernel/quiet-writes.ts";
import { filterMatches } from "../../src/core/kernel/topic-tree.ts";
import { mergeState } from "../../src/features/devices/rules/device-state.ts";
import type { Meter } from "../../src/features/energy/rules/energy-counter.ts";
import { FakeClock } from "./fake-clock.ts";

/** A device of {@link BridgeParts}. */
export interface PlainDevice {
  name: string;
  readonly type: string;
  online: boolean;
  state: JsonObject;
  info: JsonObject;
  readonly samples: { readonly at: number | null; readonly data: JsonObject }[];
  readonly events: string[];
  readonly plates: BridgedPlate[];
}

/** The real bridge on the real families, with devices, broker and memory that only record. Time is simulated. */
export class BridgeParts {
  readonly clock = new FakeClock();
  readonly devices = new Map<string, PlainDevice>();
  readonly published: Outgoing[] = [];
  /** Accepted before the bridge starts. */
  readonly credentials: Credential[] = [];
  /** Retained messages of the site's broker. */
  readonly retained = new Map<string, Uint8Array>();
  /** Credentials that the embedded broker stores. */
  readonly left = new Map<string, { readonly client: number; readonly payload: Uint8Array }>();
  /** How long each message of {@link published} waits for an offline client. */
  readonly ttlsMs: number[] = [];
  /** The recipient of each message of {@link published}; null: all. */
  readonly sentTo: (number | null)[] = [];
  readonly delivered: string[] = [];
  readonly timedOut: string[] = [];
  stored: { devices: Map<string, DeviceMemory>; meters: Map<string, Map<string, Meter>> } = {
    devices: new Map(),
    meters: new Map(),
  };
  maxDevices = 100_000;
  bridge: Bridge;
  readonly #families: readonly Family[];

  constructor(families: readonly Family[]) {
    this.#families = families;
    this.bridge = this.#open();
  }

  /** Reads the stored and the retained data. */
  async start(): Promise<void> {
    await this.bridge.start();
    await this.bridge.join();
    await settled();
  }

  /** Stops the bridge and starts another on the stored data. */
  async restart(): Promise<void> {
    await this.bridge.stop();
    this.clock.forgetTimers();
    this.bridge = this.#open();
    await this.start();
  }

  /** A message of a client. */
  async say(
    topic: string,
    payload: unknown,
    options: { readonly retain?: boolean; readonly speaker?: Speaker } = {},
  ): Promise<void> {
    const bytes =
      payload instanceof Uint8Array
        ? payload
        : Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
    if (options.retain) this.retained.set(topic, bytes);
    await this.bridge.message({ topic, payload: bytes, durable: true, speaker: options.speaker ?? null });
  }

  /**
   * A message of an accepted credential, checked by its rights as in the broker. Returns whether it could be published.
   */
  async speak(client: number, topic: string, payload: unknown, retain = false): Promise<boolean> {
    const bytes = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
    if (!this.bridge.rights.mayPublish(client, topic)) {
      this.bridge.refused(client, topic);
      if (retain) this.bridge.early(client, topic, bytes);
      return false;
    }
    if (retain) this.left.set(topic, { client, payload: bytes });
    await this.bridge.message({ topic, payload: bytes, durable: true, speaker: { client, mqttClientId: null } });
    return true;
  }

  /** The only device. */
  get only(): PlainDevice {
    const [device] = this.devices.values();
    if (device === undefined) throw new Error("there is no device");
    return device;
  }

  #open(): Bridge {
    const options: BridgeOptions = {
      families: this.#families,
      prefixes: new Map(),
      devices: {
        ready: () => true,
        find: (id) => this.devices.get(id) ?? null,
        create: async ({ id, name, type }) => {
          if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new Error(`the id ${id} is none`);
          if (this.devices.has(id)) throw new Problem("conflict", "The id is in use.");
          this.devices.set(id, { name, type, online: false, state: {}, info: {}, samples: [], events: [], plates: [] });
          return id;
        },
        rename: async (id, name) => void Object.assign(this.#device(id), { name }),
        info: async (id, info) => void Object.assign(this.#device(id), { info }),
        state: async (id, patch) => {
          const device = this.#device(id);
          device.state = mergeState(device.state, patch).state;
        },
        measured: async (id, patch) => {
          const device = this.#device(id);
          device.state = mergeState(device.state, patch).state;
        },
        telemetry: async (id, samples) => void this.#device(id).samples.push(...samples),
        presence: async (id, online) => void Object.assign(this.#device(id), { online }),
        event: async (id, { kind }) => void this.#device(id).events.push(kind),
        plate: async (id, plate) => void this.#device(id).plates.push(plate),
      },
      memory: {
        devices: () => [...this.stored.devices.values()],
        meters: () => this.stored.meters,
        save: async ({ devices, forgotten, meters }) => {
          for (const { family, key } of forgotten) this.stored.devices.delete(`${family} ${key}`);
          for (const memory of devices)
            this.stored.devices.set(`${memory.family} ${memory.device.key}`, JSON.parse(JSON.stringify(memory)));
          for (const { deviceId, metric, meter } of meters)
            this.stored.meters.set(deviceId, (this.stored.meters.get(deviceId) ?? new Map()).set(metric, meter));
        },
      },
      broker: {
        publish: (message, ttlMs, client) => {
          this.published.push(message);
          this.ttlsMs.push(ttlMs);
          this.sentTo.push(client);
        },
        retained: (filter, client) => {
          const left = [...this.left].flatMap(([topic, one]): [string, Uint8Array][] =>
            one.client === client ? [[topic, one.payload]] : [],
          );
          const all = client === OUTSIDE ? [...this.retained] : left;
          return all.filter(([topic]) => filterMatches(filter, topic)).map(([topic, payload]) => ({ topic, payload }));
        },
        clear: async (topics) => {
          for (const topic of topics) this.retained.delete(topic);
        },
      },
      commandResults: {
        onDelivered: (id) => void this.delivered.push(id),
        onTimeout: (id) => void this.timedOut.push(id),
      },
      credentials: () => [...this.credentials],
      hasOutside: () => false,
      native: "gatehouse",
      maxDevices: () => this.maxDevices,
      clock: this.clock,
      quietWrites: new QuietWrites(this.clock),
      logger: silentLogger,
    };
    return new Bridge(options);
  }

  #device(id: string): PlainDevice {
    const device = this.devices.get(id);
    if (device === undefined) throw new Problem("device_not_found", "There is no such device.");
    return device;
  }
}

/** Resolves when everything that needs no time has happened. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
