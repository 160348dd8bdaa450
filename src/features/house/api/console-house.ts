import { Type } from "typebox";
import { answer, Done, IdParams, person, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { HOUSE_MODES } from "../../../core/api/house.ts";
import { defineRoute } from "../../../core/api/route.ts";

const tag = "House";
const mode = oneOf(HOUSE_MODES);
const whereabouts = oneOf(["home", "away"]);
const plate = nullable(Type.String({ minLength: 1, maxLength: 20 }), {
  description: "The car by whose plate they are known: home from when it comes in, away from when it leaves.",
});
const deviceId = nullable(Type.String({ minLength: 1, maxLength: 64 }), {
  description: "The device that follows them, by its state `presence`, `present`, `occupancy`, `occupied` or `home`.",
});

const Person = Type.Object(
  {
    id: integerId(),
    name: Type.String(),
    you: Type.Boolean(),
    is: nullable(whereabouts, { description: "Null: not known. Who is not known does not count." }),
    since: nullable(dateTime()),
    by: nullable(oneOf(["hand", "car", "device"]), { description: "What said so last." }),
    plate,
    deviceId,
  },
  { title: "PersonPresence" },
);

const House = Type.Object(
  {
    mode,
    since: nullable(dateTime(), { description: "Null: nobody has set it yet." }),
    by: nullable(Type.String(), { description: "The person, the scene or the rule that set it." }),
    persons: Type.Array(Person, {
      description: "Owners see everybody, others themselves, unless the setting `house.shared` shows them everybody.",
    }),
  },
  { title: "House" },
);

/** `GET /api/house`. */
export const getHouse = defineRoute({
  method: "GET",
  path: "/api/house",
  operationId: "getHouse",
  tag,
  summary: "What the house is set to, and who is home",
  access: person,
  proof: "none",
  responses: { 200: { description: "How it is now.", schema: answer("house", House, "HouseAnswer") } },
});

/** `PUT /api/house/mode`. */
export const putHouseMode = defineRoute({
  method: "PUT",
  path: "/api/house/mode",
  operationId: "putHouseMode",
  tag,
  summary: "Set the house to Home, Away, Night or Holiday",
  description: "Rules may follow from it. Everybody who may run scenes may set it.",
  access: person,
  proof: "none",
  body: Type.Object({ mode }, { ...closed, title: "HouseModeInput" }),
  responses: { 200: { description: "Set.", schema: answer("house", House, "HouseAnswer") } },
});

/** `PUT /api/house/presence`. */
export const putOwnPresence = defineRoute({
  method: "PUT",
  path: "/api/house/presence",
  operationId: "putOwnPresence",
  tag,
  summary: "Say that one comes home or leaves",
  description: "Of oneself only. It counts until something later says otherwise.",
  access: person,
  proof: "none",
  body: Type.Object({ is: whereabouts }, { ...closed, title: "OwnPresenceInput" }),
  responses: { 200: { description: "Noted.", schema: answer("house", House, "HouseAnswer") } },
});

/** `PUT /api/house/persons/{id}`. */
export const putPresenceSources = defineRoute({
  method: "PUT",
  path: "/api/house/persons/{id}",
  operationId: "putPresenceSources",
  tag,
  summary: "Choose what tells whether a person is home",
  description: "What it says by now counts at once, and sets no rule off.",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object({ plate, deviceId }, { ...closed, title: "PresenceSources" }),
  responses: { 200: { description: "Chosen.", schema: Done } },
  problems: ["not_found", "unknown_device", "invalid_plate", "invalid_body"],
});
