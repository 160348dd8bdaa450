import { listRooms } from "../../contract/routes/rooms.js";
import type { Rooms } from "../../devices/rooms.js";
import { type BoundRoute, bind } from "../exchange.js";

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
