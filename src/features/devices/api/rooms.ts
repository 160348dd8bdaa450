import { Type } from "typebox";
import { defineRoute } from "../../../core/api/route.ts";
import { Room } from "../resources/room.ts";

/** `GET /v1/rooms`. */
export const listRooms = defineRoute({
  method: "GET",
  path: "/v1/rooms",
  operationId: "listRooms",
  tag: "Rooms",
  summary: "List rooms",
  description:
    "By `sort`, then id. A room exists once it was made in the console or first named by `PATCH /v1/devices/{id}`, and stays when its last device leaves.",
  access: { kind: "scope", scope: "rooms:read" },
  responses: {
    200: { description: "The rooms.", schema: Type.Object({ rooms: Type.Array(Room) }, { title: "RoomList" }) },
  },
  examples: [
    {
      name: "all",
      status: 200,
      answer: { rooms: [{ id: 1, name: "Kitchen", icon: "room", sort: 0, deviceCount: 3 }] },
    },
  ],
});
