import type { Room } from "../../contract/resources/room.js";
import { listRooms } from "../../contract/routes/rooms.js";
import { type BoundRoute, bind } from "../exchange.js";

/** What the room routes ask of the hub (`Rooms`). */
export interface RoomService {
  /** By sort, then id. */
  list(siteId: number): readonly Room[];
}

/** The room routes of /v1. */
export function roomRoutes(service: RoomService): BoundRoute[] {
  return [
    bind(listRooms, ({ caller }) => ({
      status: 200,
      body: { rooms: service.list(caller.siteId).map(({ id, name, icon, sort, deviceCount }) => ({ id, name, icon, sort, deviceCount })) },
    })),
  ];
}
