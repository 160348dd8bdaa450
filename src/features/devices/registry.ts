/**
 * Owns the devices: their household, name, room and credential. All devices are kept in memory, loaded once from
 * SQLite; every change goes through `Database.write` first and becomes visible after its commit.
 *
 * In: edits from the console and the API, passwords from the broker. Out: devices, `device.edited` on the bus, feed
 * items. State, presence and commands are in the files beside this one. Must never know: HTTP, MQTT packets, or what a
 * device's state means.
 */

import { isDeepStrictEqual } from "node:util";
import type { Base } from "../../core/base.ts";
import { isoTimeOrNull } from "../../core/kernel/clock.ts";
import { equalsInConstantTime, randomBase62, sha256Hex } from "../../core/kernel/ids.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Feed } from "../feed/feed.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import { type Device, DeviceRecord, NEVER_SEEN } from "./device.ts";
import { type DeviceFilter, Households } from "./households.ts";
import {
  checkNew,
  checkPassword,
  type DeviceEdit,
  deviceName,
  deviceTypeName,
  type NewDevice,
  wantedRoom,
} from "./input.ts";
import { MAX_ROOMS, resolveRoom, roomNames } from "./rooms.ts";
import { type DeviceSettingsRow, DeviceTable } from "./tables/device.ts";
import { type RoomRow, RoomTable } from "./tables/room.ts";

const LIMITS = { devicesPerSite: 5_000, roomsPerSite: MAX_ROOMS };
const PASSWORD_LENGTH = 32;
/** Roll-ups, the longest history, are kept three years (docs/spec/domain.md §4.6): then the id is free again. */
const RETIRED_FOR_MS = 3 * 366 * 86_400_000;

/** All devices of the hub, by household. */
export class DeviceRegistry {
  readonly name = "devices";
  readonly #base: Base;
  readonly #feed: Feed;
  readonly #outbox: Outbox;
  readonly #limits: typeof LIMITS;
  readonly #devices = new Map<string, DeviceRecord>();
  readonly #households = new Households();
  /** Devices that the running job has made; see {@link DeviceRegistry.foundWhile}. */
  #making: Map<string, DeviceRecord> | null = null;
  #onRemoved: (deviceId: string) => void = () => {};
  /** See {@link DeviceRegistry.setOpened}. */
  #opened: ReadonlySet<string> = new Set();
  #tables: { devices: DeviceTable; rooms: RoomTable } | null = null;

  constructor(
    base: Base,
    {
      feed,
      outbox,
      limits = LIMITS,
    }: { readonly feed: Feed; readonly outbox: Outbox; readonly limits?: typeof LIMITS },
  ) {
    this.#base = base;
    this.#feed = feed;
    this.#outbox = outbox;
    this.#limits = limits;
  }

  /** Notifies `listener` that a device was removed, or got a new password: its connections end. */
  onRemoved(listener: (deviceId: string) => void): void {
    this.#onRemoved = listener;
  }

  /** Loads every device; the database is open by then. */
  async start(): Promise<void> {
    const rooms = roomNames(this.#rows.rooms, this.#base.database.state === "damaged");
    for (const row of this.#rows.devices.all()) {
      const record = new DeviceRecord(row);
      record.room = row.roomId === null ? null : (rooms.get(row.roomId) ?? null);
      this.#add(record);
    }
  }

  async stop(): Promise<void> {
    this.#devices.clear();
    this.#households.clear();
    this.#tables = null;
  }

  /**
   * A device of any household, for parts that communicate with devices; null when there is none. Inside a job, a device
   * removed by an earlier job of the same group no longer exists.
   */
  find(id: string): Device | null {
    return this.record(id) ?? this.#making?.get(id) ?? null;
  }

  /**
   * Inside a job: makes new devices of `work` visible to its own calls. No other code sees them before the commit:
   * `work` is synchronous.
   */
  foundWhile<Result>(work: () => Result): Result {
    this.#making = new Map();
    try {
      return work();
    } finally {
      this.#making = null;
    }
  }

  /** A device of this household. @throws Problem `device_not_found`, also for other households' devices. */
  get(siteId: number, id: string): Device {
    return this.#own(siteId, id);
  }

  /** The household of a device; null for an unknown one. */
  siteOf(id: string): number | null {
    return this.find(id)?.siteId ?? null;
  }

  /** Whether the household has such a device. */
  owns(siteId: number, id: string): boolean {
    return this.siteOf(id) === siteId;
  }

  /** Whether the device's row is there; memory follows a removal at its commit. */
  #isThere(id: string): boolean {
    return !this.#base.database.isInJob || this.#rows.devices.isThere(id);
  }

  /** The household's devices by name, then id. */
  list(siteId: number, filter: DeviceFilter = {}): Device[] {
    return this.#households.list(siteId, filter);
  }

  /** How many devices the household has. */
  count(siteId: number): number {
    return this.#households.count(siteId);
  }

  /**
   * Grows with every visible change of a device of the household: as long as it does not change, earlier responses are
   * still valid.
   */
  version(siteId: number): number {
    return this.#households.version(siteId);
  }

  /**
   * Makes a device. The password is returned this once; null when the device was made without one.
   * @throws Problem `invalid_body`, `conflict` (id in use, or kept for its history), `limit_reached`.
   */
  async create(siteId: number, input: NewDevice): Promise<{ device: Device; password: string | null }> {
    const { id, password } = await this.#base.database.write(() => this.insert(siteId, input));
    return { device: this.#own(siteId, id), password };
  }

  /** As {@link create}, inside a job. */
  insert(siteId: number, input: NewDevice): { readonly id: string; readonly password: string | null } {
    const { database, clock } = this.#base;
    const id =
      input.id ?? `${input.type.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(0, 40)}-${randomBase62(6).toLowerCase()}`;
    checkNew({ ...input, id });
    const name = deviceName(input.name);
    const room = wantedRoom(input.room ?? null);
    const password = input.password === undefined ? randomBase62(PASSWORD_LENGTH) : input.password;
    const now = clock.now();
    this.#refuseTaken(id);
    if (this.#rows.devices.count(siteId) >= this.#limits.devicesPerSite)
      throw new Problem("limit_reached", { code: "refusal.most.devices", limit: this.#limits.devicesPerSite });
    const inRoom = room === null ? null : this.#resolveRoom(siteId, room);
    const settings = {
      id,
      name,
      type: input.type,
      roomId: inRoom?.id ?? null,
      icon: input.icon ?? null,
      favorite: input.favorite ? 1 : 0,
    };
    const row = {
      ...settings,
      siteId,
      simulated: input.simulated ? 1 : 0,
      passwordHash: password === null ? null : sha256Hex(password),
      createdAt: now,
    };
    this.#rows.devices.insert(row);
    this.#feed.record({ siteId, kind: "device.added", deviceId: id, text: { code: "device.added", name }, at: now });
    const record = new DeviceRecord({ ...NEVER_SEEN, ...row });
    this.#making?.set(id, record);
    database.committed(() => this.#added(record, inRoom));
    return { id, password };
  }

  /**
   * Changes a person's settings of a device; nothing is written when nothing changes. `check` may refuse, judging by
   * the intended changes.
   * @throws Problem `device_not_found`, `invalid_body`, `limit_reached`, and the errors of `check`
   */
  async edit(
    siteId: number,
    id: string,
    edit: DeviceEdit,
    check?: (current: Pick<Device, "name" | "room" | "favorite">) => void,
  ): Promise<Device> {
    const device = this.#own(siteId, id);
    await this.#base.database.write(() => {
      const { name, roomId, favorite } = this.#settings(siteId, id);
      const room = roomId === null ? null : (this.#rows.rooms.byId(siteId, roomId)?.name ?? null);
      check?.({ name, room, favorite: favorite === 1 });
      this.update(siteId, id, edit);
    });
    return device;
  }

  /** As {@link edit}, inside a job; returns whether anything changes. */
  update(siteId: number, id: string, edit: DeviceEdit): boolean {
    const target = this.#own(siteId, id);
    const before = this.#settings(siteId, id);
    const { database, bus } = this.#base;
    const room = edit.room === undefined ? undefined : wantedRoom(edit.room);
    const inRoom = room === undefined || room === null ? null : this.#resolveRoom(siteId, room);
    const next = {
      id,
      name: edit.name === undefined ? before.name : deviceName(edit.name),
      type: edit.type === undefined ? before.type : deviceTypeName(edit.type),
      roomId: room === undefined ? before.roomId : (inRoom?.id ?? null),
      icon: edit.icon === undefined ? before.icon : edit.icon,
      favorite: (edit.favorite ?? before.favorite === 1) ? 1 : 0,
    };
    if (isDeepStrictEqual(before, next)) return false;
    this.#rows.devices.setSettings(next);
    database.committed(() => {
      if (target.name !== next.name) this.#households.renamed(siteId);
      Object.assign(target, {
        name: next.name,
        type: next.type,
        roomId: next.roomId,
        icon: next.icon,
        favorite: next.favorite === 1,
      });
      if (room !== undefined) target.room = inRoom?.name ?? null;
      this.#households.touched(siteId);
      bus.announce("device.edited", { siteId, deviceId: id, what: "edited" });
    });
    return true;
  }

  /**
   * Removes a device and ends its session. An id with history is not given out again.
   * @throws Problem `device_not_found`.
   */
  async remove(siteId: number, id: string, beside: () => void = () => {}): Promise<void> {
    this.#own(siteId, id);
    const { database, clock, bus } = this.#base;
    await database.write(() => {
      const device = this.#own(siteId, id);
      const at = clock.now();
      if (device.lastSeen !== null && !device.simulated) this.#rows.devices.retire(id, siteId, at);
      if (device.online)
        this.#outbox.enqueue({
          siteId,
          event: "device.offline",
          deviceId: id,
          data: { online: false, lastSeen: isoTimeOrNull(device.lastSeen), reason: "revoked" },
          at,
        });
      this.#rows.devices.remove(id);
      beside();
      this.#feed.record({
        siteId,
        kind: "device.removed",
        deviceId: id,
        text: { code: "device.removed", name: device.name },
        at,
      });
      database.committed(() => {
        this.#devices.delete(id);
        this.#households.remove(siteId, id);
        bus.announce("device.edited", { siteId, deviceId: id, what: "removed" });
        this.#onRemoved(id);
      });
    });
  }

  /**
   * Replaces a device's password and ends its session; the new one is returned this once.
   * @throws Problem `device_not_found`.
   */
  async renewPassword(siteId: number, id: string, given?: string): Promise<string> {
    return this.#base.database.write(() => this.newPassword(siteId, id, given));
  }

  /** As {@link renewPassword}, inside a job. */
  newPassword(siteId: number, id: string, given?: string): string {
    const password = given ?? randomBase62(PASSWORD_LENGTH);
    this.setPassword(siteId, id, password);
    return password;
  }

  /** As {@link renewPassword}, inside a job; null: none, until it is given a new one. */
  setPassword(siteId: number, id: string, password: string | null): void {
    if (password !== null) checkPassword(password);
    const { database } = this.#base;
    const hash = password === null ? null : sha256Hex(password);
    // one that was made in the same group has not reached memory yet
    const known = this.#devices.get(id);
    if (this.#rows.devices.settings(id) === null || (known?.siteId ?? siteId) !== siteId) throw noSuchDevice();
    this.#rows.devices.setPassword(id, hash);
    database.committed(() => {
      const device = this.#devices.get(id);
      if (device !== undefined) device.passwordHash = hash;
      this.#onRemoved(id);
    });
  }

  /** The device whose password this is; null otherwise, after the same work. */
  authenticate(id: string, password: string): Device | null {
    const device = this.#devices.get(id) ?? null;
    const matches = equalsInConstantTime(sha256Hex(password), device?.passwordHash ?? NO_HASH);
    return matches ? device : null;
  }

  /** Frees ids whose history has gone; run daily. */
  async sweep(nowMs: number): Promise<void> {
    await this.#base.database.write(() => this.#rows.devices.releaseRetired(nowMs - RETIRED_FOR_MS));
  }

  /** Ids of devices that were removed and whose ids are not free yet. */
  retired = (): string[] => this.#rows.devices.retired();

  /** For each gate and lock, the device that says whether it is open. */
  setContacts(contacts: ReadonlyMap<string, string>): void {
    for (const device of this.#devices.values()) {
      const contact = contacts.get(device.id) ?? null;
      if (device.contact === contact) continue;
      device.contact = contact;
      this.touched(device);
      this.#base.bus.announce("device.edited", { siteId: device.siteId, deviceId: device.id, what: "edited" });
    }
  }

  /** Which devices the cameras of their households open, of whatever type. */
  setOpened(opened: ReadonlySet<string>): void {
    this.#opened = opened;
    for (const device of this.#devices.values()) {
      if (device.opensForPlates === opened.has(device.id)) continue;
      device.opensForPlates = opened.has(device.id);
      this.touched(device);
      this.#base.bus.announce("device.edited", { siteId: device.siteId, deviceId: device.id, what: "edited" });
    }
  }

  /** For the files of this folder: the changeable record; inside a job, as {@link find}. */
  record(id: string): DeviceRecord | null {
    const record = this.#devices.get(id);
    return record !== undefined && this.#isThere(id) ? record : null;
  }

  /** For the files of this folder: every record. */
  records(): IterableIterator<DeviceRecord> {
    return this.#devices.values();
  }

  /** For the files of this folder: something visible of the device changed. */
  touched(device: Device): void {
    this.#households.touched(device.siteId);
  }

  /** See `RoomObserver` in rooms.ts. */
  roomRenamed(siteId: number, roomId: number, name: string): void {
    for (const device of this.#households.inRoom(siteId, roomId)) device.room = name;
    this.#households.touched(siteId);
  }

  /** See `RoomObserver` in rooms.ts. */
  roomRemoved(siteId: number, roomId: number): void {
    for (const device of this.#households.inRoom(siteId, roomId)) Object.assign(device, { roomId: null, room: null });
    this.#households.touched(siteId);
  }

  #own(siteId: number, id: string): DeviceRecord {
    const device = this.record(id);
    if (device === null || device.siteId !== siteId) throw noSuchDevice();
    return device;
  }

  /**
   * The row, not the record, is what an edit is merged into: jobs before this one in the same group have not reached
   * the record yet.
   */
  #settings(siteId: number, id: string): DeviceSettingsRow {
    this.#own(siteId, id);
    const row = this.#rows.devices.settings(id);
    if (row === null) throw noSuchDevice();
    return row;
  }

  #added(record: DeviceRecord, room: RoomRow | null): void {
    record.room = room?.name ?? null;
    this.#add(record);
    this.#base.bus.announce("device.edited", { siteId: record.siteId, deviceId: record.id, what: "added" });
  }

  #add(record: DeviceRecord): void {
    record.opensForPlates = this.#opened.has(record.id);
    this.#devices.set(record.id, record);
    this.#households.add(record);
  }

  #refuseTaken(id: string): void {
    const taken = this.#rows.devices.taken(id);
    if (taken === "device") throw new Problem("conflict", { code: "conflict.deviceIdTaken", id });
    if (taken === "retired") throw new Problem("conflict", { code: "conflict.deviceIdRemoved", id });
  }

  #resolveRoom(siteId: number, name: string): RoomRow {
    return resolveRoom({ rows: this.#rows.rooms, maxRooms: this.#limits.roomsPerSite }, siteId, name);
  }

  get #rows(): { devices: DeviceTable; rooms: RoomTable } {
    const { database } = this.#base;
    this.#tables ??= { devices: new DeviceTable(database), rooms: new RoomTable(database) };
    return this.#tables;
  }
}

function noSuchDevice(): Problem {
  return new Problem("device_not_found", "There is no such device.");
}

/** Compared with if there is no hash; no hexadecimal SHA-256 looks like this. */
const NO_HASH = "-".repeat(64);
