import { Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { dateTime, freeObject, integerId, limit, nullable } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const AuditLine = Type.Object(
  {
    id: integerId(),
    person: nullable(Type.String(), {
      description: "Name of who was signed in; null for keys, the command line and the hub.",
    }),
    personId: nullable(Type.Integer(), {
      description:
        "The account behind it, also of the person who issued the key; null for the command line and the hub.",
    }),
    actor: Type.String({ description: "`session:3`, `api_key:12`, `matter:1`, `cli` or `hub`." }),
    action: Type.String({ examples: ["key.created"] }),
    target: Type.String(),
    detail: freeObject(),
    at: dateTime(),
  },
  { title: "AuditLine" },
);
const before = Type.Optional(integerId({ description: "Only lines with a smaller id." }));

/** `GET /api/audit`. */
export const listAudit = defineRoute({
  method: "GET",
  path: "/api/audit",
  operationId: "listAudit",
  tag: "Audit",
  summary: "Who did what",
  access: session,
  proof: "none",
  query: Type.Object({ limit: limit(500, 100), before }),
  responses: { 200: { description: "Newest first.", schema: answer("audit", Type.Array(AuditLine), "AuditList") } },
});

/** `GET /api/audit/events`. */
export const listAuditEvents = defineRoute({
  method: "GET",
  path: "/api/audit/events",
  operationId: "listAuditEvents",
  tag: "Audit",
  summary: "Who did what, as acts: narrowed to a person, a time and words",
  description:
    "What one actor added or removed many times at once is one act. A search looks at 20,000 lines at a time: `searchedTo` says how far it came, and `next` goes on.",
  access: session,
  proof: "none",
  query: Type.Object({
    limit: limit(100, 25),
    before,
    person: Type.Optional(integerId({ description: "Only what this person did, or a key that they issued." })),
    since: Type.Optional(dateTime({ description: "Not before this moment." })),
    until: Type.Optional(dateTime({ description: "Before this moment." })),
    q: Type.Optional(
      Type.String({
        maxLength: 120,
        description: "Words. Each has to be in the line, whatever its letter case, or be known by a name of `named`.",
      }),
    ),
    named: Type.Optional(
      Type.String({
        maxLength: 6_000,
        description:
          "For each word of `q`, separated by semicolons: the actions and targets that have it in the reader's language, separated by commas.",
      }),
    ),
  }),
  responses: {
    200: {
      description: "Newest first.",
      schema: Type.Object(
        {
          events: Type.Array(
            Type.Object(
              {
                line: AuditLine,
                alike: Type.Array(AuditLine, {
                  description: "The same of other things, done with it; at most 200, newest first.",
                }),
                count: Type.Integer({ minimum: 1, description: "All of them, the line included." }),
              },
              { title: "AuditEvent" },
            ),
          ),
          next: nullable(Type.Integer(), { description: "The `before` of the next page; null: this is the last." }),
          searchedTo: nullable(dateTime(), { description: "Null: the search has not stopped early." }),
        },
        { title: "AuditEvents" },
      ),
    },
  },
});
