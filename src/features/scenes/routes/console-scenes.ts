import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import { createScene, editScene, removeScene } from "../api/console-scenes.ts";
import type { Scenes } from "../scenes.ts";
import { shown } from "./scenes.ts";

/** What the scene management asks of the hub. */
export interface SceneManagement {
  readonly scenes: Pick<Scenes, "get" | "create" | "edit" | "remove">;
  readonly note: AuditNote;
}

/** Adding, changing and removing scenes. */
export function sceneManagementRoutes({ scenes, note }: SceneManagement): BoundRoute[] {
  return [
    bind(createScene, async ({ caller, body }) => {
      const scene = await scenes.create(caller.siteId, body);
      await note(caller, "scene.created", scene.name, { id: scene.id });
      return { status: 201, body: { scene: shown(scene) } };
    }),
    bind(editScene, async ({ caller, params, body }) => {
      const scene = await scenes.edit(caller.siteId, params.id, body);
      await note(caller, "scene.edited", scene.name, { id: scene.id });
      return { status: 200, body: { scene: shown(scene) } };
    }),
    bind(removeScene, async ({ caller, params }) => {
      const { name } = scenes.get(caller.siteId, params.id);
      await scenes.remove(caller.siteId, params.id);
      await note(caller, "scene.removed", name, { id: params.id });
      return { status: 200, body: { done: true } };
    }),
  ];
}
