import { Type } from "typebox";
import { answer, Done, IdParams, session } from "../../../core/api/console-common.ts";
import { closed, freeObject, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { HOUSE_MODES } from "../../../core/api/house.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Scene } from "../resources/scene.ts";

const OneScene = answer("scene", Scene, "SceneAnswer");
const fields = {
  name: text(120),
  icon: Type.Optional(nullable(text(64))),
  actions: Type.Array(
    Type.Object(
      { deviceId: Type.String({ minLength: 1, maxLength: 64 }), command: freeObject() },
      { ...closed, title: "SceneAction" },
    ),
    {
      maxItems: 100,
      description: "Sent in this order.",
    },
  ),
  houseMode: Type.Optional(
    nullable(oneOf(HOUSE_MODES), { description: "What it also sets the house to, once its commands are out." }),
  ),
};

/** `POST /api/scenes`. */
export const createScene = defineRoute({
  method: "POST",
  path: "/api/scenes",
  operationId: "createScene",
  tag: "Scenes",
  summary: "Add a scene",
  access: session,
  proof: "none",
  body: Type.Object(fields, { ...closed, title: "SceneInput" }),
  responses: { 201: { description: "The scene.", schema: OneScene } },
  problems: ["unknown_device", "limit_reached"],
});

/** `PATCH /api/scenes/{id}`. */
export const editScene = defineRoute({
  method: "PATCH",
  path: "/api/scenes/{id}",
  operationId: "editScene",
  tag: "Scenes",
  summary: "Change a scene",
  access: session,
  proof: "none",
  params: IdParams,
  body: Type.Object(
    {
      name: Type.Optional(fields.name),
      icon: fields.icon,
      actions: Type.Optional(fields.actions),
      houseMode: fields.houseMode,
    },
    { ...closed, minProperties: 1, title: "ScenePatch" },
  ),
  responses: { 200: { description: "The changed scene.", schema: OneScene } },
  problems: ["scene_not_found", "unknown_device"],
});

/** `DELETE /api/scenes/{id}`. */
export const removeScene = defineRoute({
  method: "DELETE",
  path: "/api/scenes/{id}",
  operationId: "removeScene",
  tag: "Scenes",
  summary: "Remove a scene",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Removed.", schema: Done } },
  problems: ["scene_not_found"],
});
