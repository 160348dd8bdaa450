import { createRoom, editRoom, orderRooms, removeRoom } from "../../contract/routes/console-rooms.js";
import type { Rooms } from "../../devices/rooms.js";
import { type BoundRoute, bind } from "../exchange.js";

/** Adding, changing, removing and ordering rooms. */
export function roomManagementRoutes(rooms: Pick<Rooms, "list" | "get" | "create" | "edit" | "remove">): BoundRoute[] {
  return [
    bind(createRoom, async ({ caller, body }) => ({ status: 201, body: { room: await rooms.create(caller.siteId, body) } })),
    bind(editRoom, async ({ caller, params, body }) => ({ status: 200, body: { room: await rooms.edit(caller.siteId, params.id, body) } })),
    bind(removeRoom, async ({ caller, params }) => {
      await rooms.remove(caller.siteId, params.id);
      return { status: 200, body: { done: true } };
    }),
    bind(orderRooms, async ({ caller, body }) => {
      for (const id of body.ids) rooms.get(caller.siteId, id); // all are there, or nothing changes
      await Promise.all(body.ids.map((id, sort) => rooms.edit(caller.siteId, id, { sort })));
      return { status: 200, body: { rooms: rooms.list(caller.siteId) } };
    }),
  ];
}
