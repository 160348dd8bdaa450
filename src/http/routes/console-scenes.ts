import { createScene, editScene, removeScene } from "../../contract/routes/console-scenes.js";
import type { Scenes } from "../../scenes/scenes.js";
import { type BoundRoute, bind } from "../exchange.js";
import { shown } from "./scenes.js";

/** Adding, changing and removing scenes. */
export function sceneManagementRoutes(scenes: Pick<Scenes, "create" | "edit" | "remove">): BoundRoute[] {
  return [
    bind(createScene, async ({ caller, body }) => ({ status: 201, body: { scene: shown(await scenes.create(caller.siteId, body)) } })),
    bind(editScene, async ({ caller, params, body }) => ({ status: 200, body: { scene: shown(await scenes.edit(caller.siteId, params.id, body)) } })),
    bind(removeScene, async ({ caller, params }) => {
      await scenes.remove(caller.siteId, params.id);
      return { status: 200, body: { done: true } };
    }),
  ];
}
