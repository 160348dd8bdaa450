import { Type } from "typebox";
import { answer, person } from "../../../core/api/console-common.ts";
import { closed, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** What the console suggests: the way to a gate that opens by itself, and what is worth doing after that. */
export const HINTS = ["setUp", "next"] as const;

/** What is worth doing in a house whose gate opens, in the order in which the console shows it. */
export const NEXT_STEPS = ["person", "messages", "passphrase", "devices", "place"] as const;

const Hints = Type.Object(
  {
    setUp: Type.Boolean({ description: "Whether the person wants to see the way to a gate; only owners do." }),
    next: nullable(
      Type.Array(
        Type.Object({
          step: oneOf(NEXT_STEPS),
          done: Type.Boolean({
            description: "The house has it, no matter who did it; messages are each person's own.",
          }),
        }),
      ),
      { description: "Null where the person has put it away, where all is done, and for all but owners." },
    ),
  },
  { title: "Hints" },
);

/** `GET /api/hints`. */
export const getHints = defineRoute({
  method: "GET",
  path: "/api/hints",
  operationId: "getHints",
  tag: "Site",
  summary: "Show what the console suggests to the person",
  access: person,
  proof: "none",
  responses: { 200: { description: "The suggestions.", schema: answer("hints", Hints, "HintsAnswer") } },
});

/** `POST /api/hints/hide`. */
export const hideHint = defineRoute({
  method: "POST",
  path: "/api/hints/hide",
  operationId: "hideHint",
  tag: "Site",
  summary: "Put a suggestion away",
  description: "It is put away for the person, on whatever device, and does not come back.",
  access: person,
  proof: "none",
  body: Type.Object({ hint: oneOf(HINTS) }, { ...closed, title: "HiddenHint" }),
  responses: { 200: { description: "The suggestions that are left.", schema: answer("hints", Hints, "HintsAnswer") } },
});
