import { Type } from "typebox";
import { integerId } from "../../../core/api/fields.ts";
import { Command } from "../../../core/api/resources/command.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** `GET /v1/commands/{id}`. */
export const getCommand = defineRoute({
  method: "GET",
  path: "/v1/commands/{id}",
  operationId: "getCommand",
  tag: "Devices",
  summary: "What became of a command",
  description:
    "By the `commandId` of the 202. With `devices:read` of every command to the account's devices, with `devices:control` of those that the same credential sent. The stream tells each change as `command.changed`. The newest 1,000 of each device are kept.",
  access: { kind: "scope" },
  addition: true,
  params: Type.Object({ id: integerId({ description: "Command id." }) }),
  responses: {
    200: {
      description: "The command's outcome so far.",
      schema: Type.Object({ command: Command }, { title: "CommandAnswer" }),
    },
  },
  problems: ["command_not_found"],
  examples: [
    {
      name: "plug",
      params: { id: 812 },
      status: 200,
      answer: {
        command: {
          id: 812,
          deviceId: "plug-kitchen",
          status: "acknowledged",
          reason: null,
          at: "2026-03-01T12:00:00.000Z",
          expiresAt: "2026-03-01T12:01:00.000Z",
          acknowledgedAt: "2026-03-01T12:00:00.042Z",
          answeredAt: "2026-03-01T12:00:00.180Z",
          changed: ["power"],
        },
      },
    },
  ],
});
