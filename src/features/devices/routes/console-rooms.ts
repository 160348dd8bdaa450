import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import { createRoom, editRoom, orderRooms, removeRoom } from "../api/console-rooms.ts";
import type { Rooms } from "../rooms.ts";

/** Adding, changing, removing and ordering rooms. */
export function roomManagementRoutes(rooms: Rooms, audited: Audited): BoundRoute[] {
  return [
    bind(createRoom, async ({ caller, body }) => {
      const id = await audited.job(caller, (note) => {
        const id = rooms.insert(caller.siteId, body);
        note("room.created", rooms.get(caller.siteId, id).name, { id });
        return id;
      });
      return { status: 201, body: { room: rooms.get(caller.siteId, id) } };
    }),
    bind(editRoom, async ({ caller, params, body }) => {
      await audited.job(caller, (note) => {
        rooms.update(caller.siteId, params.id, body);
        note("room.edited", rooms.get(caller.siteId, params.id).name, { id: params.id, ...body });
      });
      return { status: 200, body: { room: rooms.get(caller.siteId, params.id) } };
    }),
    bind(removeRoom, async ({ caller, params }) => {
      await audited.job(caller, (note) =>
        note("room.removed", rooms.drop(caller.siteId, params.id), { id: params.id }),
      );
      return { status: 200, body: { done: true } };
    }),
    bind(orderRooms, async ({ caller, body }) => {
      for (const id of body.ids) rooms.get(caller.siteId, id); // all are there, or nothing changes
      await Promise.all(body.ids.map((id, sort) => rooms.edit(caller.siteId, id, { sort })));
      return { status: 200, body: { rooms: rooms.list(caller.siteId) } };
    }),
  ];
}
