import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import { createRoom, editRoom, orderRooms, removeRoom } from "../api/console-rooms.ts";
import type { Rooms } from "../rooms.ts";

/** What the room management asks of the hub. */
export interface RoomManagement {
  readonly rooms: Pick<Rooms, "list" | "get" | "create" | "edit" | "remove">;
  readonly note: AuditNote;
}

/** Adding, changing, removing and ordering rooms. */
export function roomManagementRoutes({ rooms, note }: RoomManagement): BoundRoute[] {
  return [
    bind(createRoom, async ({ caller, body }) => {
      const room = await rooms.create(caller.siteId, body);
      await note(caller, "room.created", room.name, { id: room.id });
      return { status: 201, body: { room } };
    }),
    bind(editRoom, async ({ caller, params, body }) => {
      const room = await rooms.edit(caller.siteId, params.id, body);
      await note(caller, "room.edited", room.name, { id: room.id, ...body });
      return { status: 200, body: { room } };
    }),
    bind(removeRoom, async ({ caller, params }) => {
      const { name } = rooms.get(caller.siteId, params.id);
      await rooms.remove(caller.siteId, params.id);
      await note(caller, "room.removed", name, { id: params.id });
      return { status: 200, body: { done: true } };
    }),
    bind(orderRooms, async ({ caller, body }) => {
      for (const id of body.ids) rooms.get(caller.siteId, id); // all are there, or nothing changes
      await Promise.all(body.ids.map((id, sort) => rooms.edit(caller.siteId, id, { sort })));
      return { status: 200, body: { rooms: rooms.list(caller.siteId) } };
    }),
  ];
}
