import { Type } from "typebox";
import { answer, IdParams, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { MOST_WINDOWS } from "../../../core/plates/decide.ts";
import { PlateRead } from "../resources/plate-read.ts";
import { PlateRule, PlateRuleInput, PlateRuleWindow, RULE_KINDS } from "../resources/plate-rule.ts";
import { Visit } from "../resources/vehicle.ts";

/** `POST /api/plates/{id}/correct`. */
export const correctRead = defineRoute({
  method: "POST",
  path: "/api/plates/{id}/correct",
  operationId: "correctPlateRead",
  tag: "Plates",
  summary: "Correct a misread plate",
  description: "What was seen is kept; visits are paired again.",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object({ plate: text(32) }, { ...closed, title: "PlateCorrection" }),
  responses: { 200: { description: "The corrected read.", schema: answer("plate", PlateRead, "PlateReadAnswer") } },
  problems: ["plate_read_not_found", "invalid_plate"],
});

/** `DELETE /api/vehicles/{plate}`. */
export const forgetVehicle = defineRoute({
  method: "DELETE",
  path: "/api/vehicles/{plate}",
  operationId: "forgetVehicle",
  tag: "Plates",
  summary: "Delete everything about one plate",
  description: "Reads, pictures, visits and feed items. Rules stay; the audit list says that it was done.",
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
  access: session,
  proof: "none",
  params: IdParams,
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
  access: session,
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
    "What can be added is added, in one transaction; what cannot is named with its place in the list and the reason.",
  access: session,
  proof: "none",
  maxBodyBytes: 1024 * 1024,
  body: Type.Object(
    { rules: Type.Array(PlateRuleInput, { minItems: 1, maxItems: 2_000 }) },
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
                code: Type.String(),
                message: Type.String(),
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
