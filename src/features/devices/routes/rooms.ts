import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { listRooms } from "../api/rooms.ts";
import type { Rooms } from "../rooms.ts";

/** The hub's services used by the room routes. */
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
