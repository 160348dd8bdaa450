import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { listRooms } from "../api/rooms.ts";
import type { Rooms } from "../rooms.ts";

/** The room routes of /v1. */
export function roomRoutes(rooms: Rooms): BoundRoute[] {
  return [
    bind(listRooms, ({ caller }) => ({
      status: 200,
      body: {
        rooms: rooms
          .list(caller.siteId)
          .map(({ id, name, icon, sort, deviceCount }) => ({ id, name, icon, sort, deviceCount })),
      },
    })),
  ];
}
