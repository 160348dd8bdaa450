import type { JsonObject } from "../../core/kernel/json-object.ts";
import { type Capabilities, capabilitiesOf } from "./rules/device-types.ts";
import type { DeviceRow } from "./tables/device.ts";

/**
 * A device as the rest of the hub sees it. It is a live view of the registry's own record: read it at once, do not
 * keep it over an await. Times are epoch milliseconds.
 */
export interface Device {
  readonly id: string;
  readonly siteId: number;
  readonly name: string;
  readonly type: string;
  readonly roomId: number | null;
  /** Name of the room. */
  readonly room: string | null;
  /** Icon chosen by the owner; null: the icon of the type. */
  readonly icon: string | null;
  readonly favorite: boolean;
  /** True while the device is present; the announcement of an absence follows after the damping time. */
  readonly online: boolean;
  /** It is expected to connect, after a start of the hub or for the first time: not online, and not away either. */
  readonly awaited: boolean;
  readonly lastSeen: number | null;
  readonly firmware: string | null;
  readonly model: string | null;
  readonly manufacturer: string | null;
  /** Telemetry values the device declares. */
  readonly metrics: readonly string[];
  /** JSON schema of the commands it takes, where it published one. */
  readonly commandSchema: JsonObject | null;
  readonly capabilities: Capabilities;
  /** The device whose state says whether this gate or lock is open, where a person has named one. */
  readonly contact: string | null;
  /** A camera of the household names it as what a plate opens: it lets people in, whatever its type. */
  readonly opensForPlates: boolean;
  /** Merge of all state messages. The object is replaced, never changed. */
  readonly state: JsonObject;
  readonly stateAt: number | null;
  /** Percent. */
  readonly battery: number | null;
  /** Percent. */
  readonly signal: number | null;
  /** Declared by sleeping devices. */
  readonly reportIntervalMs: number | null;
  readonly simulated: boolean;
  /** Whether the device has a credential to connect with. */
  readonly hasPassword: boolean;
  readonly createdAt: number;
}

/** The registry's own, changeable record of a device. Only `src/features/devices` writes to it. */
export class DeviceRecord implements Device {
  readonly id: string;
  readonly siteId: number;
  readonly simulated: boolean;
  readonly createdAt: number;
  name: string;
  type: string;
  roomId: number | null;
  room: string | null = null;
  icon: string | null;
  favorite: boolean;
  online: boolean;
  awaited = false;
  lastSeen: number | null;
  firmware: string | null;
  model: string | null;
  manufacturer: string | null;
  metrics: readonly string[];
  commandSchema: JsonObject | null;
  state: JsonObject;
  stateAt: number | null;
  battery: number | null;
  signal: number | null;
  reportIntervalMs: number | null;
  passwordHash: string | null;
  /** Set by the feature that keeps the gates' contacts; see `DeviceRegistry.setContacts`. */
  contact: string | null = null;
  /** Set by the feature that keeps the cameras' gates; see `DeviceRegistry.setOpened`. */
  opensForPlates = false;

  constructor(row: DeviceRow) {
    this.id = row.id;
    this.siteId = row.siteId;
    this.simulated = row.simulated === 1;
    this.createdAt = row.createdAt;
    this.name = row.name;
    this.type = row.type;
    this.roomId = row.roomId;
    this.icon = row.icon;
    this.favorite = row.favorite === 1;
    this.online = row.online === 1;
    this.lastSeen = row.lastSeen;
    this.firmware = row.firmware;
    this.model = row.model;
    this.manufacturer = row.manufacturer;
    this.metrics = JSON.parse(row.metrics) as string[]; // written by DeviceState.info only
    // written by DeviceState.info only
    this.commandSchema = row.commandSchema === null ? null : (JSON.parse(row.commandSchema) as JsonObject);
    this.state = JSON.parse(row.state) as JsonObject; // written by DeviceState.apply only
    this.stateAt = row.stateAt;
    this.battery = row.battery;
    this.signal = row.signal;
    this.reportIntervalMs = row.reportIntervalMs;
    this.passwordHash = row.passwordHash;
  }

  get hasPassword(): boolean {
    return this.passwordHash !== null;
  }

  get capabilities(): Capabilities {
    return capabilitiesOf(this);
  }
}

/** The order in which devices are listed. */
export function byNameThenId(a: DeviceRecord, b: DeviceRecord): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** What a device row holds before the device's first message. */
export const NEVER_SEEN = {
  firmware: null,
  model: null,
  manufacturer: null,
  metrics: "[]",
  commandSchema: null,
  state: "{}",
  stateAt: null,
  stateOwed: null,
  online: 0,
  lastSeen: null,
  battery: null,
  signal: null,
  reportIntervalMs: null,
} as const;
