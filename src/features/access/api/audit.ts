import { Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { dateTime, freeObject, integerId, limit, nullable } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** `GET /api/audit`. */
export const listAudit = defineRoute({
  method: "GET",
  path: "/api/audit",
  operationId: "listAudit",
  tag: "Audit",
  summary: "Who did what",
  access: session,
  proof: "none",
  query: Type.Object({
    limit: limit(500, 100),
    before: Type.Optional(integerId({ description: "Only lines with a smaller id." })),
  }),
  responses: {
    200: {
      description: "Newest first.",
      schema: answer(
        "audit",
        Type.Array(
          Type.Object(
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
          ),
        ),
        "AuditList",
      ),
    },
  },
});
