import { type Static, Type } from "typebox";
import { integerId } from "../../../core/api/fields.ts";

/** A room's place in lists, as callers give it. */
export const roomSort = Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 });

/** A room (docs/spec/device-control-api.md §2). */
export const Room = Type.Object(
  {
    id: integerId(),
    name: Type.String({ examples: ["Kitchen"] }),
    icon: Type.String({ description: "Name of an icon of the console.", examples: ["room"] }),
    sort: Type.Integer({ description: "Place in lists, ascending." }),
    deviceCount: Type.Integer({ minimum: 0 }),
  },
  { title: "Room" },
);

/** A room as the API returns it. */
export type Room = Static<typeof Room>;
