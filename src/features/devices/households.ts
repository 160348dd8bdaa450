import { byNameThenId, type DeviceRecord } from "./device.ts";

/** Which devices {@link Households.list} returns. */
export interface DeviceFilter {
  /** Exact room name. */
  readonly room?: string;
  readonly type?: string;
  readonly online?: boolean;
}

interface Household {
  readonly devices: Map<string, DeviceRecord>;
  /** By name, then id; null: to be sorted again. */
  sorted: readonly DeviceRecord[] | null;
  version: number;
}

/** The records of each household, in the order in which people see them, with a number that grows with every change. */
export class Households {
  readonly #bySite = new Map<number, Household>();

  /** The household's devices by name, then id. */
  list(siteId: number, filter: DeviceFilter): DeviceRecord[] {
    const household = this.#bySite.get(siteId);
    if (household === undefined) return [];
    household.sorted ??= [...household.devices.values()].sort(byNameThenId);
    return household.sorted.filter(
      (device) =>
        (filter.room === undefined || device.room === filter.room) &&
        (filter.type === undefined || device.type === filter.type) &&
        (filter.online === undefined || device.online === filter.online),
    );
  }

  /** The household's devices of one room. */
  inRoom(siteId: number, roomId: number): DeviceRecord[] {
    return [...this.#of(siteId).devices.values()].filter((device) => device.roomId === roomId);
  }

  count(siteId: number): number {
    return this.#bySite.get(siteId)?.devices.size ?? 0;
  }

  /** See `DeviceRegistry.version`. */
  version(siteId: number): number {
    return this.#bySite.get(siteId)?.version ?? 0;
  }

  add(record: DeviceRecord): void {
    this.#of(record.siteId).devices.set(record.id, record);
    this.renamed(record.siteId);
    this.touched(record.siteId);
  }

  remove(siteId: number, id: string): void {
    this.#of(siteId).devices.delete(id);
    this.renamed(siteId);
    this.touched(siteId);
  }

  /** Something visible of a device of the household changed. */
  touched(siteId: number): void {
    this.#of(siteId).version += 1;
  }

  /** The order of names has changed. */
  renamed(siteId: number): void {
    this.#of(siteId).sorted = null;
  }

  clear(): void {
    this.#bySite.clear();
  }

  #of(siteId: number): Household {
    const known = this.#bySite.get(siteId);
    if (known !== undefined) return known;
    const household: Household = { devices: new Map(), sorted: null, version: 0 };
    this.#bySite.set(siteId, household);
    return household;
  }
}
