import { Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { closed, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { AGED_KINDS } from "../../../core/kernel/aged-history.ts";

const Kind = oneOf([...AGED_KINDS]);
const Count = Type.Object({ kind: Kind, count: Type.Integer({ minimum: 0 }) }, { title: "AgedCount" });

const AgedHistory = Type.Object(
  {
    kind: Kind,
    setting: Type.String({ description: "The setting that says how long." }),
    keepDays: Type.Integer({ minimum: 0 }),
    dayShare: Type.Integer({ minimum: 0, description: "How many may go in a day." }),
    waiting: Type.Integer({ minimum: 0, description: "How many are too old and stay for now." }),
    isBehind: Type.Boolean({ description: "More of them wait than go in another day." }),
  },
  { title: "AgedHistory" },
);

/** `GET /api/history`. */
export const getHistory = defineRoute({
  method: "GET",
  path: "/api/history",
  operationId: "getHistory",
  tag: "System",
  summary: "What is kept for how long",
  description:
    "Of each kind no more than a share a day is deleted for its age, the oldest first. What is too old beyond that stays until the following days.",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "Each kind as it was at its last sweep.",
      schema: answer("history", Type.Array(AgedHistory), "AgedHistoryList"),
    },
  },
});

/** `GET /api/history/due`. */
export const getHistoryDue = defineRoute({
  method: "GET",
  path: "/api/history/due",
  operationId: "getHistoryDue",
  tag: "System",
  summary: "What would be too old",
  description:
    "What would go if a setting were so many days; nothing is changed. Empty for a setting that says nothing of age.",
  access: session,
  proof: "none",
  query: Type.Object({
    setting: Type.String({ maxLength: 80, examples: ["plates.readRetentionDays"] }),
    days: Type.Integer({ minimum: 0, maximum: 100_000 }),
  }),
  responses: { 200: { description: "By kind.", schema: answer("due", Type.Array(Count), "AgedDue") } },
});

/** `POST /api/history/allow`. */
export const allowHistory = defineRoute({
  method: "POST",
  path: "/api/history/allow",
  operationId: "allowHistory",
  tag: "System",
  summary: "Let what is too old go at once",
  description: "What waits of these kinds now is deleted, beyond the share of the day. Nothing brings it back.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { kinds: Type.Array(Kind, { minItems: 1, maxItems: AGED_KINDS.length }) },
    { ...closed, title: "HistoryAllowed" },
  ),
  responses: { 200: { description: "What goes.", schema: answer("allowed", Type.Array(Count), "AgedAllowed") } },
});
