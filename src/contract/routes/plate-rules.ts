import { Type } from "typebox";
import { integerId } from "../resources/fields.js";
import { PlateRule, PlateRuleInput } from "../resources/plate-rule.js";
import { defineRoute } from "../route.js";

const VISITOR = {
  id: 1,
  plate: "MH12AB1234",
  formatted: "MH 12 AB 1234",
  kind: "allow",
  label: "Visitor",
  deviceId: null,
  validFrom: null,
  validTo: null,
  windows: [],
  earns: null,
  enabled: true,
  hits: 0,
};

/** `GET /v1/plate-rules`. */
export const listPlateRules = defineRoute({
  method: "GET",
  path: "/v1/plate-rules",
  operationId: "listPlateRules",
  tag: "Plate rules",
  summary: "List the allow, deny and watch list",
  description: "By id.",
  access: { kind: "scope", scope: "plates:read" },
  responses: {
    200: {
      description: "The rules.",
      schema: Type.Object({ rules: Type.Array(PlateRule) }, { title: "PlateRuleList" }),
    },
  },
  examples: [{ name: "visitor", status: 200, answer: { rules: [VISITOR] } }],
});

/** `POST /v1/plate-rules`. */
export const createPlateRule = defineRoute({
  method: "POST",
  path: "/v1/plate-rules",
  operationId: "createPlateRule",
  tag: "Plate rules",
  summary: "Put a plate on a list",
  description: [
    "The plate goes through the analyser that camera reads pass through, so the rule and a read of one vehicle carry the same string.",
    "One rule per plate and scope (one camera, or all), whatever its kind: a second is 409 plate_already_listed, which names the rule that stands in `ruleId` to a caller with `plates:read`.",
    "Deny wins over allow.",
  ].join(" "),
  access: { kind: "scope", scope: "plates:write" },
  body: PlateRuleInput,
  responses: {
    201: { description: "The new rule.", schema: Type.Object({ rule: PlateRule }, { title: "PlateRuleAnswer" }) },
  },
  problems: ["invalid_plate", "unknown_device", "limit_reached", "plate_already_listed", "estate_unreachable"],
  examples: [
    {
      name: "visitor",
      body: { plate: "MH 12 AB 1234", kind: "allow", label: "Visitor" },
      status: 201,
      answer: {
        rule: VISITOR,
      },
    },
  ],
});

/** `DELETE /v1/plate-rules/{id}`. */
export const deletePlateRule = defineRoute({
  method: "DELETE",
  path: "/v1/plate-rules/{id}",
  operationId: "deletePlateRule",
  tag: "Plate rules",
  summary: "Take a plate off its list",
  description: "Reads that it decided keep their decision.",
  access: { kind: "scope", scope: "plates:write" },
  params: Type.Object({ id: integerId({ description: "Plate rule id." }) }),
  responses: {
    200: { description: "It is gone.", schema: Type.Object({ deleted: Type.Boolean() }, { title: "Deleted" }) },
  },
  problems: ["plate_rule_not_found", "conflict", "estate_unreachable"],
  examples: [{ name: "visitor", params: { id: 1 }, status: 200, answer: { deleted: true } }],
});
