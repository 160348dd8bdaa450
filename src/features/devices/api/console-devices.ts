import { Type } from "typebox";
import { answer, DeviceIdParams, Done, person, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, freeObject, integerId, limit, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Device } from "../resources/device.ts";
import { isGuarded } from "../rules/device-types.ts";

const deviceType = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$", examples: ["smart-plug"] });
const icon = nullable(text(64), { description: "Name of an icon of the console; null = that of the type." });
const room = nullable(text(80, { minLength: 0 }), { description: "Room name; a new name makes the room." });

/** The members of a new device. */
const DeviceInput = Type.Object(
  {
    id: Type.Optional(
      Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$", description: "Also the MQTT user name; made up when absent." }),
    ),
    name: text(120),
    type: deviceType,
    room: Type.Optional(room),
    icon: Type.Optional(icon),
    favorite: Type.Optional(Type.Boolean()),
  },
  { ...closed, title: "DeviceInput" },
);
const OneDevice = answer("device", Device, "DeviceAnswer");
const Connection = Type.Object(
  { device: Device, password: Type.String({ description: "MQTT password. Shown this once." }) },
  { title: "DeviceWithPassword" },
);

/** `POST /api/devices`. */
export const createDevice = defineRoute({
  method: "POST",
  path: "/api/devices",
  operationId: "createDevice",
  tag: "Devices",
  summary: "Add a device",
  description: "Answers the MQTT password, which is stored as a hash only.",
  access: session,
  proof: "set-up",
  body: DeviceInput,
  responses: { 201: { description: "The device and its password.", schema: Connection } },
  problems: ["conflict", "limit_reached"],
});

/** `PATCH /api/devices/{id}`. */
export const editDevice = defineRoute({
  method: "PATCH",
  path: "/api/devices/{id}",
  operationId: "editDevice",
  tag: "Devices",
  summary: "Change a device",
  description: "More than `PATCH /v1/devices/{id}`: the type and the icon too.",
  access: session,
  proof: {
    // a gate that is called a lamp is one for limits, rules and Home Assistant no more
    when: "the type becomes one that lets nobody in and guards nothing",
    needed: ({ type }) => type !== undefined && !isGuarded({ type, opensForPlates: false }),
  },
  params: DeviceIdParams,
  body: Type.Object(
    {
      name: Type.Optional(text(120)),
      type: Type.Optional(deviceType),
      room: Type.Optional(room),
      icon: Type.Optional(icon),
      favorite: Type.Optional(Type.Boolean()),
    },
    { ...closed, minProperties: 1, title: "DeviceEdit" },
  ),
  responses: { 200: { description: "The changed device.", schema: OneDevice } },
  problems: ["device_not_found", "limit_reached"],
});

/** `DELETE /api/devices/{id}`. */
export const removeDevice = defineRoute({
  method: "DELETE",
  path: "/api/devices/{id}",
  operationId: "removeDevice",
  tag: "Devices",
  summary: "Remove a device",
  description: "Closes its connection. Its id is not given out again while its history is kept.",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  responses: { 200: { description: "Removed.", schema: Done } },
  problems: ["device_not_found"],
});

/** `POST /api/devices/{id}/password`. */
export const renewDevicePassword = defineRoute({
  method: "POST",
  path: "/api/devices/{id}/password",
  operationId: "renewDevicePassword",
  tag: "Devices",
  summary: "Make a new MQTT password",
  description: "The old one ends at once and the device's connection is closed.",
  access: session,
  proof: "fresh",
  params: DeviceIdParams,
  responses: {
    200: {
      description: "The password, shown this once.",
      schema: Type.Object({ password: Type.String() }, { title: "DevicePassword" }),
    },
  },
  problems: ["device_not_found"],
});

/** Most devices that are put in order at once. */
const MOST_ORDERED = 1_000;
const DeviceOrderAnswer = answer("ids", Type.Array(Type.String()), "DeviceOrderAnswer");

/** `GET /api/device-order`. */
export const getDeviceOrder = defineRoute({
  method: "GET",
  path: "/api/device-order",
  operationId: "getDeviceOrder",
  tag: "Devices",
  summary: "The order into which devices were put by hand",
  description: "Ids of the devices that have a place, in their order. The others come after them, by name.",
  access: person,
  proof: "none",
  responses: { 200: { description: "The household's order.", schema: DeviceOrderAnswer } },
});

/** `GET /api/devices-awaited`. */
export const listAwaited = defineRoute({
  method: "GET",
  path: "/api/devices-awaited",
  operationId: "listAwaitedDevices",
  tag: "Devices",
  summary: "Devices that are expected to connect",
  description:
    "For a minute after a start: the devices that were connected before it and are not here yet. They are not online, and nothing is wrong with them.",
  access: person,
  proof: "none",
  responses: { 200: { description: "Their ids.", schema: answer("ids", Type.Array(Type.String()), "AwaitedAnswer") } },
});

/** `PUT /api/device-order`. */
export const orderDevices = defineRoute({
  method: "PUT",
  path: "/api/device-order",
  operationId: "orderDevices",
  tag: "Devices",
  summary: "Put devices in order",
  description:
    "The named devices take the places that they hold together now, in the order given; all others stay where they are. The order is the whole household's.",
  access: session,
  proof: "none",
  body: Type.Object(
    {
      ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: MOST_ORDERED,
        uniqueItems: true,
      }),
    },
    { ...closed, title: "DeviceOrder" },
  ),
  responses: { 200: { description: "The household's order.", schema: DeviceOrderAnswer } },
  problems: ["device_not_found"],
});

/** `GET /api/devices/{id}/commands`. */
export const listCommands = defineRoute({
  method: "GET",
  path: "/api/devices/{id}/commands",
  operationId: "listCommands",
  tag: "Devices",
  summary: "What was sent to a device, by whom, and what became of it",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  query: Type.Object({
    limit: limit(500, 50),
    before: Type.Optional(integerId({ description: "Only commands with a smaller id." })),
  }),
  responses: {
    200: {
      description: "Newest first.",
      schema: answer(
        "commands",
        Type.Array(
          Type.Object(
            {
              id: integerId(),
              actor: Type.String({
                description: "`session:3`, `api_key:12`, `matter:1`, `scene:4`, `automation:5`, `gate:77`.",
              }),
              name: nullable(Type.String(), {
                description: "Of the person, the key or the automation; null where it is not known any more.",
              }),
              command: freeObject(),
              at: dateTime(),
              status: oneOf(["sent", "queued", "delivered", "expired", "failed"]),
              deliveredAt: nullable(dateTime()),
              answeredAt: nullable(dateTime(), { description: "The device's next change of state." }),
              answer: nullable(Type.Array(Type.String()), { description: "The keys of the state that changed then." }),
            },
            { title: "CommandRecord" },
          ),
        ),
        "CommandList",
      ),
    },
  },
  problems: ["device_not_found"],
});

/** `GET /api/devices/{id}/refusals`. */
export const listRefusals = defineRoute({
  method: "GET",
  path: "/api/devices/{id}/refusals",
  operationId: "listRefusals",
  tag: "Devices",
  summary: "What the broker refused of a device, and why",
  description:
    "Counts since the hub started: bad JSON, foreign topics, oversize packets, too many messages, wrong passwords.",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  responses: {
    200: {
      description: "Reasons by their last time, newest first.",
      schema: answer(
        "refusals",
        Type.Array(
          Type.Object(
            {
              reason: Type.String(),
              count: Type.Integer({ minimum: 1 }),
              lastAt: dateTime(),
              topic: Type.String({
                description: "Of the last one; the sender's address where a connection was refused.",
              }),
              example: nullable(Type.String(), { description: "Start of the last one's payload." }),
            },
            { title: "Refusal" },
          ),
        ),
        "RefusalList",
      ),
    },
  },
  problems: ["device_not_found"],
});
