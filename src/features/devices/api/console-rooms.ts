import { Type } from "typebox";
import { answer, Done, IdParams, session } from "../../../core/api/console-common.ts";
import { closed, integerId, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Room, roomSort } from "../resources/room.ts";

const OneRoom = answer("room", Room, "RoomAnswer");
const fields = {
  name: text(80),
  icon: Type.Optional(text(64)),
  sort: Type.Optional(roomSort),
};

/** `POST /api/rooms`. */
export const createRoom = defineRoute({
  method: "POST",
  path: "/api/rooms",
  operationId: "createRoom",
  tag: "Rooms",
  summary: "Add a room",
  access: session,
  proof: "none",
  body: Type.Object(fields, { ...closed, title: "RoomInput" }),
  responses: { 201: { description: "The room.", schema: OneRoom } },
  problems: ["conflict", "limit_reached"],
});

/** `PATCH /api/rooms/{id}`. */
export const editRoom = defineRoute({
  method: "PATCH",
  path: "/api/rooms/{id}",
  operationId: "editRoom",
  tag: "Rooms",
  summary: "Change a room",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object(
    { ...fields, name: Type.Optional(fields.name) },
    { ...closed, minProperties: 1, title: "RoomPatch" },
  ),
  responses: { 200: { description: "The changed room.", schema: OneRoom } },
  problems: ["not_found", "conflict"],
});

/** `DELETE /api/rooms/{id}`. */
export const removeRoom = defineRoute({
  method: "DELETE",
  path: "/api/rooms/{id}",
  operationId: "removeRoom",
  tag: "Rooms",
  summary: "Remove a room",
  description: "Its devices stay, without a room.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Removed.", schema: Done } },
  problems: ["not_found"],
});

/** `PUT /api/rooms/order`. */
export const orderRooms = defineRoute({
  method: "PUT",
  path: "/api/rooms/order",
  operationId: "orderRooms",
  tag: "Rooms",
  summary: "Put rooms in order",
  description: "`sort` becomes 0, 1, 2 … in the order given; rooms that are not named keep theirs.",
  access: session,
  proof: "none",
  body: Type.Object(
    { ids: Type.Array(integerId(), { maxItems: 500, uniqueItems: true }) },
    { ...closed, title: "RoomOrder" },
  ),
  responses: {
    200: { description: "All rooms in their new order.", schema: answer("rooms", Type.Array(Room), "RoomList") },
  },
  problems: ["not_found"],
});
