import { type Static, Type } from "typebox";
import { closed, dateTime, freeObject, nullable, text } from "../../../core/api/fields.ts";
import { Capabilities } from "./capabilities.ts";

/** A device with its merged state (docs/spec/device-control-api.md §2); optional fields are Gatehouse's own. */
export const Device = Type.Object(
  {
    id: Type.String({
      description: "Chosen when the device is created; also its MQTT user name.",
      examples: ["plug-kitchen"],
    }),
    name: Type.String({ maxLength: 120, examples: ["Kitchen plug"] }),
    type: Type.String({
      description: "Product type. An open list: home-hub, smart-plug, camera, sentinel, light, dimmer, fan, …",
      examples: ["smart-plug"],
    }),
    room: nullable(Type.String({ maxLength: 80 }), { description: "Room name; null while the device is in none." }),
    favorite: Type.Boolean(),
    online: Type.Boolean({ description: "From the MQTT session, its last will and the device's own status messages." }),
    lastSeen: nullable(dateTime(), {
      description: "When the device last sent anything; null before its first message.",
    }),
    firmware: nullable(Type.String()),
    state: freeObject({
      description: "Merge of all state messages; the keys depend on the product.",
      examples: [{ power: true }],
    }),
    model: Type.Optional(nullable(Type.String())),
    manufacturer: Type.Optional(nullable(Type.String())),
    createdAt: Type.Optional(dateTime()),
    stateAt: Type.Optional(nullable(dateTime(), { description: "When a key of `state` last changed." })),
    signal: Type.Optional(
      nullable(Type.Number(), { description: "Radio signal in percent, where the device reports it." }),
    ),
    battery: Type.Optional(
      nullable(Type.Number(), { description: "Battery charge in percent, where the device reports it." }),
    ),
    capabilities: Type.Optional(Capabilities),
    contact: Type.Optional(
      Type.String({
        description:
          "Id of the device whose state says whether this gate or lock is open, where a person has named one.",
      }),
    ),
    simulated: Type.Optional(Type.Boolean({ description: "True for the simulated household behind test keys." })),
  },
  { title: "Device" },
);

/** A device as the API returns it. */
export type Device = Static<typeof Device>;

/** What `PATCH /v1/devices/{id}` takes: at least one of the three. */
export const DevicePatch = Type.Object(
  {
    name: Type.Optional(text(120, { examples: ["Kitchen plug"] })),
    room: Type.Optional(
      nullable(text(80, { minLength: 0 }), {
        description:
          "Room name; a new name creates the room, names are compared without case. Empty or null takes the device out of its room.",
      }),
    ),
    favorite: Type.Optional(Type.Boolean()),
  },
  { ...closed, title: "DevicePatch", minProperties: 1, description: "At least one field; unknown fields are refused." },
);

/** A device change as the handler gets it. */
export type DevicePatch = Static<typeof DevicePatch>;
