import type { Clock } from "../src/core/kernel/clock.ts";
import type { BridgedDevice } from "./family.ts";
import type { BindingState, DeviceMemory, ExpectedDevice, Speaker } from "./ports.ts";

/** One device of one family, as the book holds it. */
export interface BoundDevice {
  readonly family: string;
  readonly key: string;
  device: BridgedDevice;
  /** Id in the hub; null while the device is being created. */
  deviceId: string | null;
  bindingState: BindingState;
  speaker: Speaker | null;
  /** When the binding state changed, epoch milliseconds. */
  changedAt: number;
  /** Monotonic time of its last live message, or of the start if there was none. */
  heardMono: number;
  /** Whether its family last reported it online; null: never reported. */
  online: boolean | null;
  /** Tasks that wait for the device to be created; called with its id, or with null if it could not be. */
  readonly waiting: ((deviceId: string | null) => void)[];
}

/**
 * A device that has been silent for this long may be taken over by another family that receives its messages: its
 * firmware was replaced.
 */
const SILENT_MS = 15 * 60_000;

/**
 * Maps each family's devices to the hub's devices. Two families that see the same hardware share one device of the hub:
 * the one higher in the list keeps it, unless it has fallen silent.
 */
export class DeviceBook {
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, BoundDevice>();
  readonly #byDevice = new Map<string, BoundDevice>();
  readonly #byHardware = new Map<string, Set<BoundDevice>>();
  readonly #changed = new Set<BoundDevice>();
  /** Dropped entries that may have been stored. */
  readonly #forgotten = new Map<string, Pick<BoundDevice, "family" | "key">>();

  constructor(options: { readonly families: readonly string[]; readonly clock: Clock }) {
    this.#ranks = new Map(options.families.map((name, index) => [name, index]));
    this.#clock = options.clock;
  }

  /** Loads what the last run knew. A description that lost its lists to damage is left out; it is announced again. */
  load(memories: readonly DeviceMemory[]): void {
    for (const { family, device, deviceId, bindingState, speaker, changedAt } of memories) {
      if (!isWhole(device)) continue;
      const entry = this.#entry(family, device);
      Object.assign(entry, { deviceId, bindingState, speaker, changedAt });
      this.#put(entry);
      this.#changed.delete(entry);
    }
  }

  /** A device by family and key. */
  find(family: string, key: string): BoundDevice | null {
    return this.#entries.get(`${family} ${key}`) ?? null;
  }

  /** The entry that a device of the hub is bound to. */
  ofDevice(deviceId: string): BoundDevice | null {
    return this.#byDevice.get(deviceId) ?? null;
  }

  /** The devices of one credential; null: those without a known credential. */
  ofClient(client: number | null): BoundDevice[] {
    return this.all().filter(({ speaker }) => (speaker?.client ?? null) === client);
  }

  /** Everything known. */
  all(): BoundDevice[] {
    return [...this.#entries.values()];
  }

  /**
   * Entries that stand for a device of the hub: bound or being made, expected, or withdrawn by their firmware while the
   * hub still has the device (`isThere`).
   */
  standing(isThere: (deviceId: string) => boolean): number {
    return this.all().filter((entry) => stands(entry, isThere)).length;
  }

  /** The others beyond `most`, those whose state changed first. */
  surplus(most: number, isThere: (deviceId: string) => boolean): BoundDevice[] {
    if (this.#entries.size <= most) return [];
    const others = this.all().filter((entry) => !stands(entry, isThere));
    return others.sort((a, b) => a.changedAt - b.changedAt).slice(0, Math.max(0, others.length - most));
  }

  /** Entries that hold a device of the hub. */
  get bound(): number {
    return this.#byDevice.size;
  }

  /** Reserves a device for the credential that will announce it. What is already known about it stays. */
  expect({ family, key, deviceId, client, hardware }: ExpectedDevice): void {
    const known = this.find(family, key);
    if (known !== null && known.bindingState !== "removed" && known.bindingState !== "gone") return;
    if (known !== null) this.drop(known);
    const entry = this.#entry(family, unheard({ key, hardware }));
    Object.assign(entry, { deviceId, bindingState: "expected", speaker: { client, mqttClientId: null } });
    this.#put(entry);
  }

  /** Adds a device, or updates it from its family's latest announcement. Returns whether anything is new. */
  announce(family: string, device: BridgedDevice): { readonly entry: BoundDevice; readonly changed: boolean } {
    const known = this.find(family, device.key);
    const entry = known ?? this.#entry(family, device);
    const changed = known === null || JSON.stringify(known.device) !== JSON.stringify(device);
    if (!changed) return { entry, changed };
    for (const address of entry.device.hardware) this.#byHardware.get(address)?.delete(entry);
    entry.device = device;
    this.#put(entry);
    return { entry, changed };
  }

  /**
   * The entry of another family that holds the same hardware and does not yield it to this one; null if there is none.
   */
  keeper(entry: BoundDevice): BoundDevice | null {
    for (const other of this.#twins(entry))
      if (holds(other) && (other.deviceId === null || !this.#outranks(entry, other))) return other;
    return null;
  }

  /** The entry of another family that holds the same hardware and must give it up to this one. */
  loser(entry: BoundDevice): BoundDevice | null {
    for (const other of this.#twins(entry))
      if (holds(other) && other.deviceId !== null && this.#outranks(entry, other)) return other;
    return null;
  }

  /** Families that also see the device. */
  alsoSeenBy(entry: BoundDevice): string[] {
    return this.#twins(entry)
      .filter((other) => other.bindingState === "shadowed")
      .map(({ family }) => family);
  }

  /** Binds an entry to a device of the hub. */
  bind(entry: BoundDevice, deviceId: string): void {
    entry.deviceId = deviceId;
    this.setBindingState(entry, "bound");
  }

  /** Sets the binding state of an entry. */
  setBindingState(entry: BoundDevice, bindingState: BindingState): void {
    if (entry.deviceId !== null && bindingState !== "bound" && this.#byDevice.get(entry.deviceId) === entry)
      this.#byDevice.delete(entry.deviceId);
    if (entry.deviceId !== null && bindingState === "bound") this.#byDevice.set(entry.deviceId, entry);
    if (entry.bindingState !== bindingState) entry.changedAt = this.#clock.now();
    entry.bindingState = bindingState;
    this.#changed.add(entry);
  }

  /** Notes who speaks for a device. Returns whether that is new. */
  setSpeaker(entry: BoundDevice, speaker: Speaker | null): boolean {
    if (entry.speaker?.client === speaker?.client && entry.speaker?.mqttClientId === speaker?.mqttClientId)
      return false;
    entry.speaker = speaker;
    this.#changed.add(entry);
    return true;
  }

  /** Forgets an entry that stands for no device. */
  drop(entry: BoundDevice): void {
    const name = `${entry.family} ${entry.key}`;
    this.#entries.delete(name);
    this.#changed.delete(entry);
    this.#forgotten.set(name, { family: entry.family, key: entry.key });
    for (const address of entry.device.hardware) this.#byHardware.get(address)?.delete(entry);
  }

  /** Changed entries since the last call that can be written. */
  takeChanged(): BoundDevice[] {
    const ready = [...this.#changed].filter(({ deviceId }) => deviceId !== null);
    for (const entry of ready) this.#changed.delete(entry);
    return ready;
  }

  /** Entries dropped since the last call. */
  takeForgotten(): Pick<BoundDevice, "family" | "key">[] {
    const forgotten = [...this.#forgotten.values()];
    this.#forgotten.clear();
    return forgotten;
  }

  /** Puts back entries whose write failed; an entry known again by then is not forgotten. */
  again(entries: readonly BoundDevice[], forgotten: readonly Pick<BoundDevice, "family" | "key">[]): void {
    for (const entry of entries) this.#changed.add(entry);
    for (const one of forgotten)
      if (this.find(one.family, one.key) === null) this.#forgotten.set(`${one.family} ${one.key}`, one);
  }

  #twins(entry: BoundDevice): BoundDevice[] {
    const twins = new Set(entry.device.hardware.flatMap((address) => [...(this.#byHardware.get(address) ?? [])]));
    // A hardware address is easily claimed: what another credential brought is never the same device.
    return [...twins].filter(
      (other) => other.family !== entry.family && other.speaker?.client === entry.speaker?.client,
    );
  }

  #outranks(entry: BoundDevice, other: BoundDevice): boolean {
    if (this.#rank(entry) < this.#rank(other)) return this.#isSilent(entry) ? this.#isSilent(other) : true;
    return this.#isSilent(other) && !this.#isSilent(entry);
  }

  #rank(entry: BoundDevice): number {
    return this.#ranks.get(entry.family) ?? Number.MAX_SAFE_INTEGER;
  }

  #isSilent(entry: BoundDevice): boolean {
    return this.#clock.mono() - entry.heardMono > SILENT_MS;
  }

  #entry(family: string, device: BridgedDevice): BoundDevice {
    const heardMono = this.#clock.mono();
    return {
      family,
      key: device.key,
      device,
      deviceId: null,
      bindingState: "shadowed",
      speaker: null,
      changedAt: this.#clock.now(),
      heardMono,
      online: null,
      waiting: [],
    };
  }

  #put(entry: BoundDevice): void {
    this.#entries.set(`${entry.family} ${entry.key}`, entry);
    if (entry.deviceId !== null && entry.bindingState === "bound") this.#byDevice.set(entry.deviceId, entry);
    for (const address of entry.device.hardware) {
      const entries = this.#byHardware.get(address) ?? new Set();
      this.#byHardware.set(address, entries.add(entry));
    }
    this.#changed.add(entry);
  }
}

function stands({ bindingState, deviceId }: BoundDevice, isThere: (deviceId: string) => boolean): boolean {
  if (bindingState === "gone") return deviceId !== null && isThere(deviceId);
  return bindingState === "bound" || bindingState === "expected";
}

/** Whether a stored description has the lists that every family writes. */
function isWhole({ key, hardware, metrics }: BridgedDevice): boolean {
  return typeof key === "string" && Array.isArray(hardware) && Array.isArray(metrics);
}

/** Whether an entry has a device of the hub, or will have it. */
function holds({ bindingState }: BoundDevice): boolean {
  return bindingState === "bound" || bindingState === "expected";
}

/** A device that its family has not described yet. */
export function unheard({ key, hardware }: Pick<BridgedDevice, "key" | "hardware">): BridgedDevice {
  const unknown = {
    manufacturer: null,
    model: null,
    firmware: null,
    commands: null,
    reportSeconds: null,
    address: null,
    room: null,
  };
  return { key, name: key, type: "sensor", hardware, ...unknown, metrics: [], memo: {} };
}
