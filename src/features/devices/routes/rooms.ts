import { listRooms } from "../api/rooms.js";
import type { Rooms } from "../rooms.js";
import { type BoundRoute, bind } from "../../../core/http/exchange.js";

/** What the room routes ask of the hub. */
export type RoomService = Pick<Rooms, "list">;

/** The room routes of /v1. */
export function roomRoutes(service: RoomService): BoundRoute[] {
  return [
    bind(listRooms, ({ caller }) => ({
      status: 200,
      body: {
        rooms: service
          .list(caller.siteId)
          .map(({ id, name, icon, sort, deviceCount }) => ({ id, name, icon, sort, deviceCount })),
      },
    })),
  ];
}
