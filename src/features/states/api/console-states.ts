import { Type } from "typebox";
import { answer, person } from "../../../core/api/console-common.ts";
import { dateTime } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { StateStretch } from "../resources/states.ts";

const query = Type.Object({
  deviceId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Only this device." })),
  from: Type.Optional(dateTime({ description: "Beginning of the stretch; a day before its end unless given." })),
  to: Type.Optional(dateTime({ description: "End of the stretch, at most 31 days later; now unless given." })),
});

/** `GET /api/states`. */
export const getStates = defineRoute({
  method: "GET",
  path: "/api/states",
  operationId: "getStates",
  tag: "Devices",
  summary: "When doors opened, lights went on and devices were there, and who did it",
  description: [
    "Each yes or no and each word that a device reports, as its changes from `from` (inclusive) to `to` (exclusive).",
    "At most 24 states of a device. One that changes more than 240 times an hour loses some of its changes, never its last.",
  ].join(" "),
  access: person,
  proof: "none",
  query,
  responses: { 200: { description: "The states.", schema: answer("stretch", StateStretch, "StateStretchAnswer") } },
  problems: ["device_not_found"],
});

/** `GET /api/states.csv`. */
export const exportStates = defineRoute({
  method: "GET",
  path: "/api/states.csv",
  operationId: "exportStates",
  tag: "Devices",
  summary: "Download the changes of states as CSV",
  description:
    "A line for each change, oldest first: `time,device,name,state,value,by`. `time` is the household's wall time with its offset.",
  access: person,
  proof: "none",
  query,
  responses: { 200: { description: "The changes.", contentType: "text/csv; charset=utf-8" } },
  problems: ["device_not_found"],
});
