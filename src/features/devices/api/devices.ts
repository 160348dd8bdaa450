import { Type } from "typebox";
import { freeObject, integerId } from "../../../core/api/fields.ts";
import { defineRoute, type RouteExample } from "../../../core/api/route.ts";
import { Device, DevicePatch } from "../resources/device.ts";

const DeviceParams = Type.Object({ id: Type.String({ minLength: 1, description: "Device id." }) });
const OneDevice = Type.Object({ device: Device }, { title: "DeviceAnswer" });

const PLUG = {
  id: "plug-kitchen",
  name: "Kitchen plug",
  type: "smart-plug",
  room: "Kitchen",
  favorite: false,
  online: true,
  lastSeen: "2026-03-01T12:00:00.000Z",
  firmware: "1.4.2",
  state: { power: true },
};
const example = (answer: unknown): RouteExample => ({
  name: "plug",
  params: { id: "plug-kitchen" },
  status: 200,
  answer,
});

/** `GET /v1/devices`. */
export const listDevices = defineRoute({
  method: "GET",
  path: "/v1/devices",
  operationId: "listDevices",
  tag: "Devices",
  summary: "List devices",
  description: "Every device of the account, by name and then id. Filters combine.",
  access: { kind: "scope", scope: "devices:read" },
  query: Type.Object({
    room: Type.Optional(Type.String({ description: "Exact room name. A name that no room has gives an empty list." })),
    type: Type.Optional(Type.String({ description: "Device type." })),
    online: Type.Optional(Type.Boolean({ description: "`true` or `false`." })),
  }),
  responses: {
    200: { description: "The devices.", schema: Type.Object({ devices: Type.Array(Device) }, { title: "DeviceList" }) },
  },
  examples: [{ name: "all", status: 200, answer: { devices: [PLUG] } }],
});

/** `GET /v1/devices/{id}`. */
export const getDevice = defineRoute({
  method: "GET",
  path: "/v1/devices/{id}",
  operationId: "getDevice",
  tag: "Devices",
  summary: "Read one device",
  description:
    "Its `ETag` stays the same while the device is only heard of: `lastSeen`, `signal` and `battery` are not in it. For `If-Match` only name, room and favourite count.",
  access: { kind: "scope", scope: "devices:read" },
  params: DeviceParams,
  responses: { 200: { description: "The device.", schema: OneDevice } },
  problems: ["device_not_found"],
  examples: [example({ device: PLUG })],
});

/** `PATCH /v1/devices/{id}`. */
export const updateDevice = defineRoute({
  method: "PATCH",
  path: "/v1/devices/{id}",
  operationId: "updateDevice",
  tag: "Devices",
  summary: "Rename a device, assign its room, mark it as favourite",
  description:
    "Changes only the fields that are given; at least one is needed. Strings are trimmed. A room that does not exist yet is created. With `If-Match` the change is made only if name, room and favourite are still as they were read; what the device reports does not count.",
  access: { kind: "scope", scope: "devices:write" },
  params: DeviceParams,
  body: DevicePatch,
  ifMatch: true,
  responses: { 200: { description: "The changed device.", schema: OneDevice } },
  problems: ["device_not_found", "limit_reached"],
  examples: [{ ...example({ device: PLUG }), body: { name: "Kitchen plug", room: "Kitchen" } }],
});

/** `POST /v1/devices/{id}/commands`. */
export const sendCommand = defineRoute({
  method: "POST",
  path: "/v1/devices/{id}/commands",
  operationId: "sendCommand",
  tag: "Devices",
  summary: "Send a command to a device",
  description: [
    "Any JSON object of at most 16 KiB; it is forwarded to the device unchanged, byte for byte, and the device's product defines its fields.",
    "202 means that the broker holds the command for delivery, not that the device has acted: read the device again, or listen to the webhook `device.state`. What became of it tells `GET /v1/commands/{id}`.",
    "A device that is offline gets the command only if it comes back within a minute (a setting), so that no gate opens an hour late.",
  ].join(" "),
  access: { kind: "scope", scope: "devices:control" },
  rate: "command",
  params: DeviceParams,
  body: freeObject({
    description: "The command.",
    examples: [
      { power: true },
      { ch: 2, on: false },
      { relays: [true, false, false, true] },
      { power: true, brightness: 40 },
      { scene: "evening" },
    ],
  }),
  forwardsBody: true,
  maxBodyBytes: 16_384,
  responses: {
    202: {
      description: "Accepted for delivery.",
      schema: Type.Object(
        {
          accepted: Type.Boolean(),
          deviceId: Type.String(),
          command: freeObject({ description: "The forwarded command." }),
          commandId: integerId({
            description:
              "An addition beyond the contract: what `GET /v1/commands/{id}` and the stream's `command.changed` name it by.",
          }),
        },
        { title: "CommandAccepted" },
      ),
    },
  },
  problems: ["forbidden", "device_not_found", "unsupported_command", "broker_unavailable"],
  examples: [
    {
      name: "plug",
      params: { id: "plug-kitchen" },
      body: { power: true },
      status: 202,
      answer: { accepted: true, deviceId: "plug-kitchen", command: { power: true }, commandId: 812 },
    },
  ],
});
