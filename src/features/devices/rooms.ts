import type { Base } from "../../core/base.ts";
import { nameKey, plainText } from "../../core/kernel/plain-text.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { type RoomRow, RoomTable } from "./tables/room.ts";

/** A room with the number of the site's devices in it. */
export interface Room {
  readonly id: number;
  readonly name: string;
  readonly icon: string;
  readonly sort: number;
  readonly deviceCount: number;
}

/** The input for a room; `sort` orders the list. */
export interface RoomInput {
  readonly name: string;
  readonly icon?: string;
  readonly sort?: number;
}

/** Notified when a room changes: the registry keeps room names with the devices. */
interface RoomObserver {
  roomRenamed(siteId: number, roomId: number, name: string): void;
  roomRemoved(siteId: number, roomId: number): void;
}

/** Most rooms of a household. */
export const MAX_ROOMS = 200;
/** Longest room name in code points (docs/spec/device-control-api.md §8). */
const MAX_ROOM_NAME = 80;

/** The rooms of each site: created in the console, or when a device is first put into one by name. */
export class Rooms {
  readonly #base: Base;
  readonly #observer: RoomObserver;
  readonly #maxRooms: number;
  readonly #table: RoomTable;

  constructor(base: Base, observer: RoomObserver, maxRooms = MAX_ROOMS) {
    this.#base = base;
    this.#observer = observer;
    this.#maxRooms = maxRooms;
    this.#table = new RoomTable(base.database);
  }

  /** All rooms of a site, by sort, then id. */
  list(siteId: number): Room[] {
    return this.#table.bySite(siteId).map((row) => ({ ...shown(row), deviceCount: row.deviceCount }));
  }

  /** @throws Problem `not_found`. */
  get(siteId: number, id: number): Room {
    const room = this.list(siteId).find((candidate) => candidate.id === id);
    if (room === undefined) throw noSuchRoom();
    return room;
  }

  /** @throws Problem `conflict` when the site has a room of that name, `limit_reached`, `invalid_body`. */
  async create(siteId: number, input: RoomInput): Promise<Room> {
    return this.get(siteId, await this.#base.database.write(() => this.insert(siteId, input)));
  }

  /** As {@link create}, inside a job; returns the room's id. */
  insert(siteId: number, input: RoomInput): number {
    const name = roomName(input.name);
    if (this.#table.byKey(siteId, nameKey(name)) !== null) throw roomExists(name);
    return insertRoom({ rows: this.#table, maxRooms: this.#maxRooms }, siteId, { ...input, name }).id;
  }

  /** @throws Problem `not_found`, `conflict`, `invalid_body`. */
  async edit(siteId: number, id: number, input: Partial<RoomInput>): Promise<Room> {
    await this.#base.database.write(() => this.update(siteId, id, input));
    return this.get(siteId, id);
  }

  /** As {@link edit}, inside a job. */
  update(siteId: number, id: number, input: Partial<RoomInput>): void {
    const { database } = this.#base;
    const name = input.name === undefined ? undefined : roomName(input.name);
    const row = this.#table.byId(siteId, id);
    if (row === null) throw noSuchRoom();
    const next = {
      ...row,
      name: name ?? row.name,
      nameKey: nameKey(name ?? row.name),
      icon: input.icon ?? row.icon,
      sort: input.sort ?? row.sort,
    };
    const other = this.#table.byKey(siteId, next.nameKey);
    if (other !== null && other.id !== id) throw roomExists(next.name);
    this.#table.update(next);
    if (next.name !== row.name) database.committed(() => this.#observer.roomRenamed(siteId, id, next.name));
  }

  /** Removes a room; its devices stay, without a room. @throws Problem `not_found`. */
  async remove(siteId: number, id: number): Promise<void> {
    await this.#base.database.write(() => this.drop(siteId, id));
  }

  /** As {@link remove}, inside a job; returns the room's name. */
  drop(siteId: number, id: number): string {
    const { database } = this.#base;
    const row = this.#table.byId(siteId, id);
    if (row === null) throw noSuchRoom();
    this.#table.remove(id);
    database.committed(() => this.#observer.roomRemoved(siteId, id));
    return row.name;
  }
}

/** A trimmed room name. @throws Problem `invalid_body`. */
export function roomName(name: string): string {
  return plainText(name, { field: "/room", min: 1, max: MAX_ROOM_NAME });
}

/** Finds a room by name without regard to case, or makes it. Called inside a job. @throws Problem `limit_reached`. */
export function resolveRoom(store: { rows: RoomTable; maxRooms: number }, siteId: number, name: string): RoomRow {
  return store.rows.byKey(siteId, nameKey(name)) ?? insertRoom(store, siteId, { name });
}

function insertRoom(store: { rows: RoomTable; maxRooms: number }, siteId: number, input: RoomInput): RoomRow {
  const { count, lastSort } = store.rows.figures(siteId);
  if (count >= store.maxRooms)
    throw new Problem("limit_reached", { code: "refusal.most.rooms", limit: store.maxRooms });
  const row = {
    siteId,
    name: input.name,
    nameKey: nameKey(input.name),
    icon: input.icon ?? "room",
    sort: input.sort ?? lastSort + 1,
  };
  return { id: store.rows.insert(row), ...row };
}

function shown(row: RoomRow): Omit<Room, "deviceCount"> {
  return { id: row.id, name: row.name, icon: row.icon, sort: row.sort };
}

function noSuchRoom(): Problem {
  return new Problem("not_found", "There is no such room.");
}

function roomExists(name: string): Problem {
  return new Problem("conflict", { code: "conflict.roomTaken", name });
}

/**
 * Names of all rooms by row id. In a damaged file they may be unreadable: devices without rooms still take commands, no
 * devices would take none.
 */
export function roomNames(rooms: RoomTable, isDamaged: boolean): ReadonlyMap<number, string> {
  try {
    return new Map(rooms.all().map((row) => [row.id, row.name]));
  } catch (error) {
    if (isDamaged) return new Map();
    throw error;
  }
}
