import { Type } from "typebox";
import { answer, gatekeeper, IdParams, session } from "../../../core/api/console-common.ts";
import { ErrorBody } from "../../../core/api/error.ts";
import { closed, dateTime, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { PlateRuleWindow } from "../../../core/api/resources/week-window.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { MOST_WINDOWS } from "../../../core/plates/decide.ts";
import { PlateRead } from "../resources/plate-read.ts";
import { PlateRule, RULE_KINDS, RuleEarns } from "../resources/plate-rule.ts";
import { Visit } from "../resources/vehicle.ts";

/** `POST /api/plates/{id}/correct`. */
export const correctRead = defineRoute({
  method: "POST",
  path: "/api/plates/{id}/correct",
  operationId: "correctPlateRead",
  tag: "Plates",
  summary: "Correct a misread plate",
  description: "What was seen is kept; visits are paired again.",
  access: gatekeeper,
  proof: "none",
  params: IdParams,
  body: Type.Object({ plate: text(32) }, { ...closed, title: "PlateCorrection" }),
  responses: { 200: { description: "The corrected read.", schema: answer("plate", PlateRead, "PlateReadAnswer") } },
  problems: ["plate_read_not_found", "invalid_plate"],
});

/** `GET /api/plates/accuracy`. */
export const plateAccuracy = defineRoute({
  method: "GET",
  path: "/api/plates/accuracy",
  operationId: "plateAccuracy",
  tag: "Plates",
  summary: "How plates were read at this site, month by month",
  description:
    "As far as persons corrected reads: what nobody looked at counts as right. Months in UTC, the last twelve, oldest first.",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "The months in which something was read.",
      schema: answer(
        "months",
        Type.Array(
          Type.Object(
            {
              month: Type.String({ description: "Such as 2026-11." }),
              read: Type.Integer({ minimum: 0, description: "Plates that were recognised." }),
              corrected: Type.Integer({ minimum: 0, description: "Of these, those that a person put right." }),
              filledIn: Type.Integer({ minimum: 0, description: "Illegible ones for which a person gave the plate." }),
              illegible: Type.Integer({ minimum: 0, description: "Bursts that stayed without a plate." }),
            },
            { title: "PlateAccuracyMonth" },
          ),
        ),
        "PlateAccuracy",
      ),
    },
  },
});

/** `GET /api/plates/corrected`. */
export const correctedPlates = defineRoute({
  method: "GET",
  path: "/api/plates/corrected",
  operationId: "correctedPlates",
  tag: "Plates",
  summary: "The pictures of corrected plates with the right text",
  description: "What `plates.keepCorrected` keeps; pages of 20 in order of the reads.",
  access: session,
  proof: "none",
  query: Type.Object({
    after: Type.Optional(Type.Integer({ minimum: 0, description: "The `next` of the page before." })),
  }),
  responses: {
    200: {
      description: "A page.",
      schema: Type.Object(
        {
          samples: Type.Array(
            Type.Object(
              {
                readId: Type.Integer(),
                deviceId: Type.String(),
                plate: Type.String({ description: "The right plate." }),
                seen: Type.String({ description: "What the hub had read." }),
                at: dateTime(),
                picture: Type.String({ description: "JPEG of the plate, base64." }),
              },
              { title: "CorrectedPlate" },
            ),
          ),
          next: nullable(Type.Integer()),
        },
        { title: "CorrectedPlates" },
      ),
    },
  },
});

/** `DELETE /api/vehicles/{plate}`. */
export const forgetVehicle = defineRoute({
  method: "DELETE",
  path: "/api/vehicles/{plate}",
  operationId: "forgetVehicle",
  tag: "Plates",
  summary: "Delete everything about one plate",
  description: "Reads, pictures, visits, plate rules and feed items; the audit list says that it was done.",
  access: session,
  proof: "none",
  params: Type.Object({ plate: Type.String() }),
  responses: {
    200: {
      description: "How many reads went.",
      schema: Type.Object({ deleted: Type.Integer({ minimum: 0 }) }, { title: "ForgottenVehicle" }),
    },
  },
  problems: ["vehicle_not_found", "invalid_plate"],
});

/** `POST /api/visits/{id}/close`. */
export const closeVisit = defineRoute({
  method: "POST",
  path: "/api/visits/{id}/close",
  operationId: "closeVisit",
  tag: "Plates",
  summary: "Close a visit by hand",
  description: "For a vehicle that left unseen: the visit becomes `exit_missed`.",
  access: gatekeeper,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The closed visit.", schema: answer("visit", Visit, "VisitAnswer") } },
  problems: ["not_found", "conflict"],
});

/** `POST /api/vehicles/{plate}/left`. */
export const noteLeft = defineRoute({
  method: "POST",
  path: "/api/vehicles/{plate}/left",
  operationId: "noteVehicleLeft",
  tag: "Plates",
  summary: "Say that a vehicle had left unseen",
  description: "The visit of its plate that goes on becomes `exit_missed`, so that it may come in again.",
  access: gatekeeper,
  proof: "none",
  params: Type.Object({ plate: Type.String() }),
  responses: { 200: { description: "The closed visit.", schema: answer("visit", Visit, "VisitAnswer") } },
  problems: ["not_found", "conflict"],
});

/** `PATCH /api/plate-rules/{id}`. */
export const editPlateRule = defineRoute({
  method: "PATCH",
  path: "/api/plate-rules/{id}",
  operationId: "editPlateRule",
  tag: "Plates",
  summary: "Change a plate rule",
  access: gatekeeper,
  proof: "none",
  params: IdParams,
  body: Type.Object(
    {
      kind: Type.Optional(oneOf(RULE_KINDS)),
      label: Type.Optional(text(80, { minLength: 0 })),
      validFrom: Type.Optional(nullable(dateTime())),
      validTo: Type.Optional(nullable(dateTime())),
      windows: Type.Optional(Type.Array(PlateRuleWindow, { maxItems: MOST_WINDOWS })),
      enabled: Type.Optional(Type.Boolean()),
      earns: Type.Optional(RuleEarns),
    },
    { ...closed, minProperties: 1, title: "PlateRulePatch" },
  ),
  responses: { 200: { description: "The changed rule.", schema: answer("rule", PlateRule, "PlateRuleAnswer") } },
  problems: ["plate_rule_not_found", "conflict", "estate_unreachable"],
});

/** `POST /api/plate-rules/import`. */
export const importPlateRules = defineRoute({
  method: "POST",
  path: "/api/plate-rules/import",
  operationId: "importPlateRules",
  tag: "Plates",
  summary: "Add many plate rules at once",
  description:
    "What can be added is added, some lines at a time; what cannot is named with its place in the list and the reason. If the right to it or the storage ends on the way, what was added stays and the rest is named so. With `rehearsal`, the answer is the same and nothing is added. Of each household one list is gone through at a time, and others wait; a fourth of the same person is refused.",
  access: gatekeeper,
  proof: "none",
  maxBodyBytes: 1024 * 1024,
  body: Type.Object(
    {
      rules: Type.Array(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "As `POST /v1/plate-rules` takes it. One that is not is refused alone.",
        }),
        { minItems: 1, maxItems: 2_000 },
      ),
      rehearsal: Type.Optional(Type.Boolean({ description: "Only look what would become of them." })),
    },
    { ...closed, title: "PlateRuleImport" },
  ),
  responses: {
    200: {
      description: "What was added and what was not.",
      schema: Type.Object(
        {
          added: Type.Integer({ minimum: 0 }),
          refused: Type.Array(
            Type.Object(
              {
                index: Type.Integer({ minimum: 0 }),
                plate: Type.String(),
                problem: ErrorBody.properties.error,
              },
              { title: "RefusedRule" },
            ),
          ),
        },
        { title: "PlateRuleImportAnswer" },
      ),
    },
  },
});
