import { Type } from "typebox";
import { answer, DeviceIdParams, person, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, limit, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { OPENING_REASONS, OPENING_RESULTS } from "../../../core/plates/opening.ts";
import { GateChoices } from "../resources/gate-choices.ts";

/** Who opened a gate or lock, and the outcome. */
const Opening = Type.Object(
  {
    id: integerId(),
    deviceId: Type.String({ description: "The gate or lock." }),
    readId: nullable(integerId(), { description: "The plate read that it was for." }),
    by: Type.Object(
      {
        kind: oneOf(["person", "key", "automation", "scene", "plate", "device", "hub"], {
          description: "`device`: at the gate itself, by a button on the wall, a remote control or by hand.",
        }),
        name: nullable(Type.String(), {
          description: "Of the person, the key, the rule or the scene; of a plate the label of its rule, or the plate.",
        }),
      },
      { title: "Opener" },
    ),
    result: oneOf(OPENING_RESULTS),
    reason: nullable(oneOf(OPENING_REASONS)),
    at: dateTime(),
    settledAt: nullable(dateTime()),
  },
  { title: "Opening" },
);

/** `GET /api/openings`. */
export const listOpenings = defineRoute({
  method: "GET",
  path: "/api/openings",
  operationId: "listOpenings",
  tag: "Plates",
  summary: "List who opened gates and locks",
  access: person,
  proof: "none",
  query: Type.Object({ deviceId: Type.Optional(Type.String({ minLength: 1 })), limit: limit(200, 50) }),
  responses: { 200: { description: "Newest first.", schema: answer("openings", Type.Array(Opening), "OpeningList") } },
});

const GateContact = Type.Object(
  {
    deviceId: nullable(Type.String(), { description: "The contact sensor; null: the gate itself says how it stands." }),
  },
  { title: "GateContact" },
);

/** `GET /api/gates/{id}/contact`. */
export const getGateContact = defineRoute({
  method: "GET",
  path: "/api/gates/{id}/contact",
  operationId: "getGateContact",
  tag: "Plates",
  summary: "Show the contact sensor of a gate or lock",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  responses: { 200: { description: "The sensor.", schema: answer("contact", GateContact, "GateContactAnswer") } },
  problems: ["device_not_found", "conflict"],
});

/** `PUT /api/gates/{id}/contact`. */
export const putGateContact = defineRoute({
  method: "PUT",
  path: "/api/gates/{id}/contact",
  operationId: "putGateContact",
  tag: "Plates",
  summary: "Name the contact sensor of a gate or lock",
  description: "Its state (`contact`, `open` or `door`) then says whether the gate opened, instead of the gate's own.",
  access: session,
  proof: "none",
  params: DeviceIdParams,
  body: Type.Object(
    { deviceId: nullable(Type.String({ minLength: 1, maxLength: 64 })) },
    { ...closed, title: "GateContactInput" },
  ),
  responses: { 200: { description: "The sensor.", schema: answer("contact", GateContact, "GateContactAnswer") } },
  problems: ["device_not_found", "unknown_device", "conflict"],
});

/** `GET /api/gate-choices`. */
export const getGateChoices = defineRoute({
  method: "GET",
  path: "/api/gate-choices",
  operationId: "getGateChoices",
  tag: "Plates",
  summary: "Show what listed plates earn, and what confirms",
  access: session,
  proof: "none",
  responses: { 200: { description: "The choices.", schema: answer("choices", GateChoices, "GateChoicesAnswer") } },
});

/** `PUT /api/gate-choices`. */
export const putGateChoices = defineRoute({
  method: "PUT",
  path: "/api/gate-choices",
  operationId: "putGateChoices",
  tag: "Plates",
  summary: "Choose what listed plates earn, and what confirms",
  access: session,
  proof: {
    // it confirms at the gate for as long as nobody looks
    when: "a PIN is set",
    needed: ({ confirmedBy }) => confirmedBy.some((one) => one.kind === "pin" && one.pin !== undefined),
  },
  body: GateChoices,
  responses: { 200: { description: "The choices.", schema: answer("choices", GateChoices, "GateChoicesAnswer") } },
  problems: ["unknown_device", "limit_reached"],
});
