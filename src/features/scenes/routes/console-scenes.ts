import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import { createScene, editScene, removeScene } from "../api/console-scenes.ts";
import type { Scenes } from "../scenes.ts";
import { shown } from "./scenes.ts";

/** Adding, changing and removing scenes. */
export function sceneManagementRoutes(scenes: Scenes, audited: Audited): BoundRoute[] {
  return [
    bind(createScene, async ({ caller, body }) => {
      const id = await audited.job(caller, (note) => {
        const id = scenes.insert(caller.siteId, body);
        note("scene.created", scenes.get(caller.siteId, id).name, { id });
        return id;
      });
      return { status: 201, body: { scene: shown(scenes.get(caller.siteId, id)) } };
    }),
    bind(editScene, async ({ caller, params, body }) => {
      await audited.job(caller, (note) => {
        const { name, rewritten } = scenes.update(caller.siteId, params.id, body);
        note("scene.edited", name, { id: params.id, ...(rewritten ? { rewritten } : {}) });
      });
      return { status: 200, body: { scene: shown(scenes.get(caller.siteId, params.id)) } };
    }),
    bind(removeScene, async ({ caller, params }) => {
      await audited.job(caller, (note) =>
        note("scene.removed", scenes.drop(caller.siteId, params.id), { id: params.id }),
      );
      return { status: 200, body: { done: true } };
    }),
  ];
}
