import { Type } from "typebox";
import { answer, Done, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** The progress of a Matter device that joins the hub. */
const MatterJoin = Type.Object(
  {
    state: oneOf(["none", "looking", "joining", "reading", "added", "failed"], {
      description:
        "`looking`: for the device of the code; `joining`: it is taken in; `reading`: what it can do. One device joins at a time.",
    }),
    failure: nullable(oneOf(["not_found", "wrong_code", "refused", "full", "cancelled", "failed", "unavailable"]), {
      description: "Why it did not join; null unless it failed.",
    }),
    devices: Type.Array(Type.String(), { description: "Ids of the devices that it became." }),
    startedAt: nullable(dateTime()),
  },
  { title: "MatterJoin" },
);
const OneJoin = answer("join", MatterJoin, "MatterJoinAnswer");

/** `POST /api/matter/joins`. */
export const joinMatterDevice = defineRoute({
  method: "POST",
  path: "/api/matter/joins",
  operationId: "joinMatterDevice",
  tag: "Devices",
  summary: "Let a Matter device join the hub",
  description:
    "By its manual code or the text of its QR code. The device is on the network already, or another app has opened it to a further one; Bluetooth is not used. How far it has come: `GET /api/matter/joins`.",
  access: session,
  proof: "set-up",
  body: Type.Object(
    {
      code: Type.String({
        minLength: 8,
        maxLength: 256,
        description: "11 or 21 digits, with or without hyphens and spaces, or the text that begins with `MT:`.",
      }),
    },
    { ...closed, title: "MatterCode" },
  ),
  responses: { 202: { description: "The hub looks for it.", schema: OneJoin } },
  problems: ["matter_unavailable", "conflict"],
});

/** `GET /api/matter/joins`. */
export const getMatterJoin = defineRoute({
  method: "GET",
  path: "/api/matter/joins",
  operationId: "getMatterJoin",
  tag: "Devices",
  summary: "How far the Matter device that joins has come",
  access: session,
  proof: "none",
  responses: { 200: { description: "The join under way, or the last one.", schema: OneJoin } },
});

/** `DELETE /api/matter/joins`. */
export const cancelMatterJoin = defineRoute({
  method: "DELETE",
  path: "/api/matter/joins",
  operationId: "cancelMatterJoin",
  tag: "Devices",
  summary: "Stop looking for a Matter device",
  access: session,
  proof: "none",
  responses: { 200: { description: "Nothing joins any more.", schema: Done } },
  problems: ["matter_unavailable"],
});
