import { Type } from "typebox";
import { integerId } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { AUTOMATION_DEFINITIONS, Automation, AutomationInput, AutomationPatch } from "../resources/automation.ts";

const AutomationParams = Type.Object({ id: integerId({ description: "Automation id." }) });
const OneAutomation = Type.Object({ automation: Automation }, { title: "AutomationAnswer" });

const RULE = {
  name: "Kitchen off at night",
  enabled: true,
  trigger: { type: "time", at: "23:00", days: [1, 2, 3, 4, 5] },
  action: { type: "command", deviceId: "plug-kitchen", command: { power: false } },
};
const KEPT_RULE = {
  id: 1,
  ...RULE,
  conditions: [],
  mode: "single",
  cooldownSeconds: 0,
  lastTriggeredAt: null,
  lastResult: null,
  createdAt: "2026-03-01T12:00:00.000Z",
  updatedAt: "2026-03-01T12:00:00.000Z",
  etag: '"0kYz1n0pWcT7sQ8e"',
};

/** `GET /v1/automations`. */
export const listAutomations = defineRoute({
  method: "GET",
  path: "/v1/automations",
  operationId: "listAutomations",
  tag: "Automations",
  summary: "List automation rules",
  description: "By id. Each rule carries its own `etag` for `If-Match`.",
  access: { kind: "scope", scope: "automations:read" },
  responses: {
    200: {
      description: "The rules.",
      schema: Type.Object({ automations: Type.Array(Automation) }, { title: "AutomationList" }),
    },
  },
  examples: [{ name: "night", status: 200, answer: { automations: [KEPT_RULE] } }],
});

/** `POST /v1/automations`. */
export const createAutomation = defineRoute({
  method: "POST",
  path: "/v1/automations",
  operationId: "createAutomation",
  tag: "Automations",
  summary: "Create an automation rule",
  description:
    "Every device that the rule names, in its trigger, its conditions and its actions, must belong to the account; else 403 device_not_owned with `deviceIds`.",
  access: { kind: "scope", scope: "automations:write" },
  body: AutomationInput,
  definitions: AUTOMATION_DEFINITIONS,
  responses: { 201: { description: "The new rule.", schema: OneAutomation } },
  problems: ["device_not_owned", "unknown_scene", "invalid_plate", "limit_reached"],
  examples: [{ name: "night", body: RULE, status: 201, answer: { automation: KEPT_RULE } }],
});

/** `PATCH /v1/automations/{id}`. */
export const updateAutomation = defineRoute({
  method: "PATCH",
  path: "/v1/automations/{id}",
  operationId: "updateAutomation",
  tag: "Automations",
  summary: "Change an automation rule",
  description:
    "Changes only the members that are given, for example `enabled`; each replaces the stored one whole, and the result is checked as a whole. A rule that was read can be sent back with changes: `id`, `lastTriggeredAt`, `lastResult`, `createdAt`, `updatedAt`, `author` and `etag` are ignored, and members that are as they were rewrite nothing. With `If-Match` (the rule's `etag`) it is made only if nobody has edited the rule since.",
  access: { kind: "scope", scope: "automations:write" },
  params: AutomationParams,
  body: AutomationPatch,
  definitions: AUTOMATION_DEFINITIONS,
  ifMatch: true,
  responses: { 200: { description: "The changed rule.", schema: OneAutomation } },
  problems: ["automation_not_found", "device_not_owned", "unknown_scene", "invalid_plate"],
  examples: [
    {
      name: "night",
      params: { id: 1 },
      body: { enabled: false },
      status: 200,
      answer: { automation: { ...KEPT_RULE, enabled: false } },
    },
  ],
});

/** `DELETE /v1/automations/{id}`. */
export const deleteAutomation = defineRoute({
  method: "DELETE",
  path: "/v1/automations/{id}",
  operationId: "deleteAutomation",
  tag: "Automations",
  summary: "Delete an automation rule",
  description: "What waits for it (delays, hold times) ends with it.",
  access: { kind: "scope", scope: "automations:write" },
  params: AutomationParams,
  responses: {
    200: { description: "It is gone.", schema: Type.Object({ deleted: Type.Boolean() }, { title: "Deleted" }) },
  },
  problems: ["automation_not_found"],
  examples: [{ name: "night", params: { id: 1 }, status: 200, answer: { deleted: true } }],
});
