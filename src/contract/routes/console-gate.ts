import { Type } from "typebox";
import { OPENING_REASONS, OPENING_RESULTS } from "../../domain/plates/opening.js";
import { dateTime, integerId, limit, nullable, oneOf } from "../resources/fields.js";
import { defineRoute } from "../route.js";
import { answer, person } from "./console-common.js";

/** Who opened a gate or lock, and what came of it. */
export const Opening = Type.Object(
  {
    id: integerId(),
    deviceId: Type.String({ description: "The gate or lock." }),
    readId: nullable(integerId(), { description: "The plate read that it was for." }),
    by: Type.Object(
      {
        kind: oneOf(["person", "key", "automation", "scene", "plate", "device", "hub"], {
          description: "`device`: at the gate itself, by a button on the wall, a remote control or by hand.",
        }),
        name: nullable(Type.String(), { description: "Of the person, the key, the rule or the scene; of a plate the label of its rule, or the plate." }),
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
  problems: [],
});
