import { Type } from "typebox";
import { integerId } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Scene } from "../resources/scene.ts";

/** `GET /v1/scenes`. */
export const listScenes = defineRoute({
  method: "GET",
  path: "/v1/scenes",
  operationId: "listScenes",
  tag: "Scenes",
  summary: "List scenes",
  description: "By id. Scenes are made and changed in the console.",
  access: { kind: "scope", scope: "scenes:read" },
  responses: {
    200: { description: "The scenes.", schema: Type.Object({ scenes: Type.Array(Scene) }, { title: "SceneList" }) },
  },
  examples: [
    {
      name: "evening",
      status: 200,
      answer: {
        scenes: [
          {
            id: 1,
            name: "Good night",
            icon: null,
            actions: [{ deviceId: "plug-kitchen", command: { power: false } }],
            enabled: true,
            lastActivatedAt: null,
          },
        ],
      },
    },
  ],
});

/** `POST /v1/scenes/{id}/activate`. */
export const activateScene = defineRoute({
  method: "POST",
  path: "/v1/scenes/{id}/activate",
  operationId: "activateScene",
  tag: "Scenes",
  summary: "Run a scene",
  description:
    "Sends the commands of the scene in order. Takes no body; one that is sent is ignored. Actions that name a device the account no longer owns are skipped, do not fail the scene, and are listed.",
  access: { kind: "scope", scope: "scenes:run" },
  rate: "scene",
  params: Type.Object({ id: integerId({ description: "Scene id." }) }),
  responses: {
    202: {
      description: "The commands were accepted for delivery.",
      schema: Type.Object(
        {
          accepted: Type.Boolean(),
          scene: Type.String({ description: "Name of the scene." }),
          sent: Type.Integer({ minimum: 0, description: "Commands that the broker accepted." }),
          skipped: Type.Array(Type.String(), { description: "Device ids." }),
        },
        { title: "SceneActivated" },
      ),
    },
  },
  problems: ["forbidden", "scene_not_found", "conflict", "broker_unavailable"],
  examples: [
    {
      name: "evening",
      params: { id: 1 },
      status: 202,
      answer: { accepted: true, scene: "Good night", sent: 1, skipped: [] },
    },
  ],
});
