import { type Static, Type } from "typebox";
import { words } from "./fields.ts";

/** The one body of every error. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({
          description: "Stable, for programs. New codes may appear; treat an unknown one by its HTTP status.",
          examples: ["device_not_found"],
        }),
        message: Type.String({
          description: "For people. May change at any time.",
          examples: ["There is no such device."],
        }),
        requestId: Type.String({ description: "Also in X-Request-Id and in the hub's log." }),
        words: words(),
        details: Type.Array(
          Type.Object(
            {
              field: Type.String({
                description: "JSON pointer into the body, or the name of a query or path parameter.",
              }),
              code: Type.String(),
              message: Type.String(),
              words: words(),
              values: Type.Optional(
                Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
                  description:
                    "What a text for the code needs, such as `limit`: a program can say in its own words what is wrong.",
                }),
              ),
            },
            { title: "ErrorDetail" },
          ),
          { description: "Why single fields were refused; empty for every other error." },
        ),
      },
      {
        title: "ErrorInfo",
        additionalProperties: true,
        description: "Some codes bring further members, such as requiredScope, ruleId, deviceIds or retryAfterSeconds.",
      },
    ),
  },
  { title: "Error" },
);

/** An error body as a value. */
export type ErrorBody = Static<typeof ErrorBody>;
