import { Type } from "typebox";
import { answer, person } from "../../../core/api/console-common.ts";
import { dateTime, integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { SENDER_KINDS } from "../rules/sender.ts";

const StateValue = nullable(Type.Union([Type.Boolean(), Type.String()]), {
  description: "Null: not known, such as before a device has reported it.",
});

const StateSender = Type.Object(
  {
    kind: oneOf(SENDER_KINDS, { description: "`plate`: the gate's own decision; `home`: another home platform." }),
    name: nullable(Type.String(), { description: "Of the person, the key, the rule or the scene." }),
    readId: nullable(integerId(), { description: "The plate read that a gate opened for." }),
  },
  { title: "StateSender" },
);

const StateLine = Type.Object(
  {
    deviceId: Type.String(),
    key: Type.String({ description: "Key of the device's state; `online` is its presence." }),
    before: nullable(Type.Object({ value: StateValue, since: dateTime() }, { title: "StateBefore" }), {
      description: "How it was at the beginning; null if nothing was recorded before.",
    }),
    changes: Type.Array(
      Type.Object(
        {
          at: dateTime(),
          value: StateValue,
          by: nullable(StateSender, { description: "Whose command it answers; null: of itself, or by hand." }),
        },
        { title: "StateChange" },
      ),
      { description: "Oldest first." },
    ),
  },
  { title: "StateLine" },
);

/** What states were over a stretch of time. */
const StateStretch = Type.Object(
  {
    from: dateTime(),
    to: dateTime(),
    timeZone: Type.String(),
    states: Type.Array(StateLine),
    off: Type.Array(Type.Object({ from: dateTime(), to: nullable(dateTime()) }, { title: "HubOff" }), {
      description: "When the hub was off and recorded nothing.",
    }),
    cutAt: nullable(dateTime(), { description: "There were more than 20,000 changes: the answer ends here." }),
  },
  { title: "StateStretch" },
);

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
